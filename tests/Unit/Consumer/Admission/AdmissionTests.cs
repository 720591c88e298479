using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>How many messages are taken, as the machine carries them.</summary>
public sealed class AdmissionTests : IDisposable
{
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void The_limit_grows_while_there_is_work_for_more_and_whoever_is_in_hand_only_waits()
    {
        var hand = Start(Napping(100));
        var before = hand.Queue.Admission.Limit;

        hand.Send([.. Enumerable.Range(0, 100).Select(n => $"m{n}")]);
        hand.Run(5);

        Assert.InRange(before, 1, 8);
        Assert.Equal((64, 64), (hand.Queue.Admission.Used, hand.Queue.Admission.Limit));
    }

    [Fact]
    public void So_it_does_where_all_that_it_keeps_out_comes_and_goes_between_two_looks()
    {
        var hand = Start(Napping(0.01));
        var before = hand.Queue.Admission.Limit;

        for (var look = 0; look < 10; look++)
        {
            hand.Run(0.02);
            hand.Send([.. Enumerable.Range(0, 20).Select(n => $"{look} {n}")]);
            hand.Run(0.07);
            Assert.Equal(0, hand.Queue.Admission.Used);
            hand.Run(0.01);
        }

        Assert.InRange(hand.Queue.Admission.Limit, before + 1, 64);
    }

    [Fact]
    public void Room_that_is_gone_when_its_turn_comes_is_not_asked_for()
    {
        var asked = 0;
        var hand = _hand = new EngineByHand(Napping(1));
        hand.Spy.OnReceive = () =>
        {
            asked++;
            return new TaskCompletionSource<int>().Task;
        };
        hand.Engine.Start();
        while (!hand.Queue.IsOpen)
            hand.Lanes.RunOne();

        hand.Queue.Admission.Adapt(new Load(2, 0, TimeSpan.Zero, 0.3, TimeSpan.Zero, AreThreadsScarce: true), isStrained: false, order: null);
        hand.Lanes.RunUntilIdle();
        Assert.Equal(0, asked);
        hand.Run(0.2);

        Assert.Equal(1, asked);
    }

    [Fact]
    public void The_limit_falls_to_what_the_threads_carry_while_more_wait_for_them()
    {
        var hand = Start(async (_, _) =>
        {
            for (var turn = 0; turn < 50; turn++)
            {
                await _hand!.Sleep(0.001);
                _hand.Time.Advance(TimeSpan.FromMilliseconds(20));
            }

            return Settlement.Complete;
        });

        hand.Send([.. Enumerable.Range(0, 100).Select(n => $"m{n}")]);
        hand.Run(10);

        Assert.InRange(hand.Queue.Admission.Limit, 1, 4);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public async Task It_does_not_fall_where_they_wait_for_one_that_merely_blocks()
    {
        using var end = new ManualResetEvent(false);
        var begun = new TaskCompletionSource();
        using var lanes = new LaneScheduler(new() { Threads = 1, MaxSpareThreads = 0 }, TimeProvider.System);
        using var meter = new HoldfastMeter();
        var queue = EngineByHand.NewQueue("orders", (_, _) => new(Settlement.Complete), new() { MaxConcurrency = 64 }, lanes, meter, () => 0, NullLogger.Instance);
        var pacer = new Pacer(lanes, new PoolGuard(new VirtualTime(), 1, 0), [queue]);
        var before = queue.Admission.Limit;

        _ = lanes.NewStrand(0, "blocks").Run(() =>
        {
            begun.SetResult();
            end.WaitOne();
        });
        await begun.Task;
        for (var i = 0; i < 20; i++)
            _ = lanes.NewStrand(0, $"{i}").Run(() => { });

        // So long a time that whatever else runs in this process has burnt hardly any of it.
        for (var look = 1; look < 5; look++)
            pacer.RunDue(TimeSpan.FromHours(look));
        end.Set();

        Assert.InRange(before, 2, 64);
        Assert.Equal(before, queue.Admission.Limit);
    }

    private EngineByHand Start(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle) =>
        (_hand = new EngineByHand(handle, options => (options.Admission, options.MaxConcurrency) = (AdmissionMode.Adaptive, 64))).Start();

    private Func<HeldMessage, CancellationToken, ValueTask<Settlement>> Napping(double seconds) => async (_, cancel) =>
    {
        await _hand!.Nap(seconds, cancel);
        return Settlement.Complete;
    };
}
