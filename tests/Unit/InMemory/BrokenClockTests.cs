using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

/// <summary>The clock is the host's. One that throws must not leave a queue locked for ever.</summary>
public sealed class BrokenClockTests
{
    private static readonly TimeSpan s_clearlyNever = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_throws_within_a_queue_leaves_it_open_to_others(bool atEntry)
    {
        var clock = new Clock();
        var broker = new InMemoryBroker(new() { TimeProvider = clock });
        var sender = Desk.Now(broker.OpenSenderAsync("orders", default));
        (clock.IsBroken, clock.AreTimersBroken) = (atEntry, !atEntry);
        Assert.Throws<InvalidOperationException>(() => Desk.Now(sender.SendAsync(new Message { Id = "a" }, TimeSpan.FromSeconds(1), default)));
        (clock.IsBroken, clock.AreTimersBroken) = (false, false);

        var counts = new InMemoryQueueCounts();
        var other = new Thread(() => counts = broker.Counts("orders")) { IsBackground = true };
        other.Start();

        Assert.True(other.Join(s_clearlyNever), "The queue is locked for ever.");
        Assert.Equal(atEntry ? 0 : 1, counts.Delayed);
    }

    private sealed class Clock : TimeProvider
    {
        public bool IsBroken { get; set; }

        public bool AreTimersBroken { get; set; }

        public override long GetTimestamp() => IsBroken ? throw new InvalidOperationException("The clock is broken.") : 0;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => new Timer(this);

        private sealed class Timer(Clock clock) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period) => clock.AreTimersBroken ? throw new InvalidOperationException("The timer is broken.") : true;

            public void Dispose()
            {
            }

            public ValueTask DisposeAsync() => ValueTask.CompletedTask;
        }
    }
}
