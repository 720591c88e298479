using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>Two queues on the same threads, of which one has more for them to do than they can.</summary>
public sealed class SharedThreadsTests : IDisposable
{
    private EngineByHand? _hand;

    private EngineByHand Hand => _hand!;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void A_queue_is_asked_for_more_although_another_ones_handler_always_has_a_next_turn()
    {
        var isEnough = false;
        List<string> ends = [];
        _hand = new EngineByHand(HandleAsync, otherQueues: "parcels").Start();

        Hand.Send("hog");
        for (var step = 0; step < 60; step++)
        {
            if (step is 10 or 20 or 30)
                Assert.True(SendToParcelsAsync($"{step}").IsCompletedSuccessfully);
            RunStep();
        }

        Assert.Equal(["10", "20", "30"], ends);
        isEnough = true;
        Hand.Run(1);
        Assert.Equal(["10", "20", "30", "hog"], ends);

        async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            while (message.Id == "hog" && !isEnough)
                await Task.Yield();
            ends.Add(message.Id);
            return Settlement.Complete;
        }
    }

    [Fact]
    public void A_queue_is_asked_for_more_although_what_it_has_in_hand_was_lost_before_it_could_begin()
    {
        var isEnough = false;
        List<string> begun = [];
        _hand = new EngineByHand(HandleAsync, otherQueues: "parcels").Start();

        Hand.Send("hog");
        RunStep();
        Assert.True(SendToParcelsAsync("patient", priority: 0).IsCompletedSuccessfully);
        RunSteps(20);
        Assert.Equal(1, Hand.Queues[1].Meter.Held);
        Hand.Faults.RefuseRenewals();
        RunSteps(120);
        Hand.Faults.Heal();
        Assert.True(SendToParcelsAsync("urgent").IsCompletedSuccessfully);
        RunSteps(20);

        Assert.Equal(["hog", "urgent"], begun);
        isEnough = true;
        Hand.Run(1);
        Assert.Contains("patient", begun);

        async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            begun.Add(message.Id);
            while (message.Id == "hog" && !isEnough)
                await Task.Yield();
            return Settlement.Complete;
        }
    }

    [Fact]
    public void A_queue_whose_messages_hardly_need_the_threads_keeps_its_limit_and_may_grow()
    {
        _hand = new EngineByHand(
            async (message, cancel) =>
            {
                if (message.Queue == "parcels")
                    await Hand.Nap(2, cancel);
                for (var turn = 0; message.Queue == "orders" && turn < 50; turn++)
                {
                    await Hand.Sleep(0.001);
                    Hand.Time.Advance(TimeSpan.FromMilliseconds(20));
                }

                return Settlement.Complete;
            },
            options => (options.Admission, options.MaxConcurrency) = (AdmissionMode.Adaptive, 64),
            otherQueues: "parcels").Start();

        Hand.Send([.. Enumerable.Range(0, 100).Select(n => $"m{n}")]);
        Hand.Run(5);
        for (var n = 0; n < 1000; n++)
            _ = SendToParcelsAsync($"p{n}");
        Hand.Run(15);

        Assert.InRange(Hand.Queues[0].Admission.Limit, 1, 8);
        Assert.Equal(64, Hand.Queues[1].Admission.Limit);
    }

    private void RunSteps(int steps)
    {
        for (var step = 0; step < steps; step++)
            RunStep();
    }

    // There is always a next turn, and time passes all the same.
    private void RunStep()
    {
        const int TurnsInAStep = 5;
        for (var turn = 0; turn < TurnsInAStep; turn++)
            Assert.True(Hand.Lanes.RunOne());
        Hand.Time.Advance(TimeSpan.FromMilliseconds(50));
    }

    private async Task SendToParcelsAsync(string id, byte priority = 9)
    {
        await using var sender = await Hand.Broker.OpenSenderAsync("parcels", CancellationToken.None);
        await sender.SendAsync(new Message { Id = id, Priority = priority }, TimeSpan.Zero, CancellationToken.None);
    }
}
