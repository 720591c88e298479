using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>What becomes of a seat whose thread was seen blocked, on a thread of its own and without a watch.</summary>
public sealed class CrewTests : IDisposable
{
    private readonly ManualResetEvent _answer = new(false);
    private Crew? _crew;

    public void Dispose()
    {
        _answer.Set();
        _crew?.Stop(Patience.Longest);
        _answer.Dispose();
    }

    [Fact]
    public void Whoever_is_not_blocked_any_more_needs_nobody_to_stand_in()
    {
        var thread = Blocked(new() { MaxSpareThreads = 0 });

        Assert.Null(_crew!.Replace(thread, turn: -1));
        _answer.Set();
        _crew.Stop(Patience.Longest);
        Assert.Null(_crew.Replace(thread, thread.Worker.Turns));
    }

    [Fact]
    public void Where_there_are_as_many_as_were_allowed_that_is_why_nobody_does() =>
        Assert.Equal(StandIn.LimitReached, Replace(new() { MaxSpareThreads = 0 }));

    [Fact]
    public void Where_the_system_lets_there_be_no_more_that_is_why() =>
        Assert.Equal(StandIn.Refused, Replace(new() { SystemThreads = 0 }));

    [Fact]
    public void Where_the_system_refuses_one_that_is_why_and_it_is_believed_for_a_while()
    {
        var started = 0;
        var thread = Blocked(new() { Start = thread => (started++ == 0 ? (Action)thread.UnsafeStart : throw new InsufficientMemoryException())() });

        Assert.Equal(StandIn.Refused, _crew!.Replace(thread, turn: 1));
        Assert.Equal(StandIn.Refused, _crew.Replace(thread, turn: 1));
        Assert.Equal(2, started);
    }

    [Fact]
    public void Otherwise_somebody_does_and_the_seat_is_given_once()
    {
        var thread = Blocked(new());

        Assert.Equal(StandIn.Found, _crew!.Replace(thread, turn: 1));
        Assert.Null(_crew.Replace(thread, turn: 1));
    }

    private StandIn? Replace(LaneSchedulerOptions options) => Blocked(options) is var thread ? _crew!.Replace(thread, turn: 1) : null;

    private CrewThread Blocked(LaneSchedulerOptions options)
    {
        var lanes = LaneScheduler.ByHand(new VirtualTime(), options: options);
        lanes.NewStrand(0, "waits").Run(() => _answer.WaitOne());
        _crew = new Crew(lanes, options);
        _crew.Start();
        var thread = Assert.Single(_crew.Roll());
        Patience.SpinUntil(() => thread.Worker.Turns == 1);
        return thread;
    }
}
