using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Holdfast.Worker.Demo;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Demo;

public sealed class DemoHandlerTests
{
    private static readonly HeldMessage s_message = new("orders", new Message { Id = "1" });

    private readonly VirtualTime _time = new();

    [Fact]
    public async Task Each_turn_is_followed_by_its_wait()
    {
        var handling = Handle(new DemoOptions { Turns = 3, CpuMilliseconds = 0, IoMilliseconds = 100 });

        for (var turn = 0; turn < 3; turn++)
        {
            Assert.False(handling.IsCompleted);
            Assert.Equal(TimeSpan.FromMilliseconds(100), _time.UntilNextTimer);
            _time.Advance(TimeSpan.FromMilliseconds(100));
        }

        Assert.Equal(Settlement.Complete, await handling);
    }

    [Fact]
    public async Task A_turn_keeps_its_thread_as_long_as_it_was_told_by_the_clock()
    {
        var ticking = new TickingTime();

        await new DemoHandler(new DemoOptions { Turns = 2, CpuMilliseconds = 50, IoMilliseconds = 0 }, ticking).HandleAsync(s_message, default);

        Assert.InRange(ticking.Elapsed, TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(110));
    }

    [Fact]
    public void Turns_without_a_wait_between_them_are_still_turns()
    {
        var asked = new Asking();
        SynchronizationContext.SetSynchronizationContext(asked);

        var handling = Handle(new DemoOptions { Turns = 3, CpuMilliseconds = 0, IoMilliseconds = 0 });
        var turns = asked.RunAll();

        Assert.True(handling.IsCompletedSuccessfully);
        Assert.Equal(3, turns);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_cancelled_handler_leaves_its_turn(bool blocking)
    {
        var handling = Handle(new DemoOptions { Turns = 1, CpuMilliseconds = int.MaxValue, Blocking = blocking }, new CancellationToken(true));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => handling);
    }

    [Fact]
    public async Task A_cancelled_handler_leaves_its_wait()
    {
        using var cancel = new CancellationTokenSource();
        var handling = Handle(new DemoOptions { Turns = 1, CpuMilliseconds = 0, IoMilliseconds = 100 }, cancel.Token);
        Assert.False(handling.IsCompleted);

        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => handling);
    }

    private Task<Settlement> Handle(DemoOptions demo, CancellationToken cancel = default) =>
        new DemoHandler(demo, _time).HandleAsync(s_message, cancel).AsTask();

    /// <summary>Keeps what is to go on, until told to let it.</summary>
    private sealed class Asking : SynchronizationContext
    {
        private readonly Queue<(SendOrPostCallback Callback, object? State)> _posted = [];

        public override void Post(SendOrPostCallback d, object? state) => _posted.Enqueue((d, state));

        public int RunAll()
        {
            var count = 0;
            for (; _posted.TryDequeue(out var next); count++)
                next.Callback(next.State);
            SetSynchronizationContext(null);
            return count;
        }
    }

    /// <summary>A clock that moves on by a millisecond whenever it is read.</summary>
    private sealed class TickingTime : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => 1_000;

        public TimeSpan Elapsed => TimeSpan.FromMilliseconds(_now);

        public override long GetTimestamp() => _now++;
    }
}
