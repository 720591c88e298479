using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class LaneOrderTests
{
    private readonly LaneScheduler _lanes = LaneScheduler.ByHand(new VirtualTime());
    private readonly List<string> _ran = [];

    [Fact]
    public void Lease_runs_before_process_before_receive()
    {
        Enter(Lane.Receive, "receive");
        Enter(Lane.Process, "process");
        Enter(Lane.Lease, "lease");
        Enter(Lane.Lease, "lease again");

        _lanes.RunUntilIdle();

        Assert.Equal(["lease", "lease again", "process", "receive"], _ran);
    }

    [Fact]
    public void Lease_runs_before_every_item_not_only_before_the_first()
    {
        Run(_lanes.NewStrand(0, "a"), "a", then: () => Enter(Lane.Lease, "lease"));
        Run(_lanes.NewStrand(0, "b"), "b");

        _lanes.RunUntilIdle();

        Assert.Equal(["a", "lease", "b"], _ran);
    }

    [Fact]
    public void A_continuation_does_not_run_in_place_while_lease_work_waits()
    {
        var strand = _lanes.NewStrand(0, "a");
        var gate = new TaskCompletionSource();
        strand.Run(() => After(gate.Task, "continuation"));
        strand.Run(() =>
        {
            Enter(Lane.Lease, "lease");
            gate.SetResult();
            _ran.Add("rest");
        });

        _lanes.RunUntilIdle();

        Assert.Equal(["rest", "lease", "continuation"], _ran);
    }

    [Fact]
    public void A_higher_message_priority_runs_first()
    {
        Run(_lanes.NewStrand(0, "low"), "low");
        Run(_lanes.NewStrand(255, "highest"), "highest");
        Run(_lanes.NewStrand(1, "high"), "high");

        _lanes.RunUntilIdle();

        Assert.Equal(["highest", "high", "low"], _ran);
    }

    [Fact]
    public void What_has_started_runs_before_what_waits_and_what_started_first_before_the_rest()
    {
        var gate = new TaskCompletionSource();
        var (second, first) = (_lanes.NewStrand(3, "second"), _lanes.NewStrand(3, "first"));
        var waiting = _lanes.NewStrand(3, "waiting");
        foreach (var strand in (Strand[])[first, second])
        {
            strand.Run(() => After(gate.Task, strand.Name));
            _lanes.RunUntilIdle();
        }

        Run(waiting, "waiting");
        Run(second, "second, another task");
        gate.SetResult();
        _lanes.RunUntilIdle();

        Assert.Equal(["first", "second, another task", "second", "waiting"], _ran);
    }

    [Fact]
    public void A_strand_runs_its_tasks_in_the_order_they_came()
    {
        var strand = _lanes.NewStrand(0, "a");
        for (var i = 0; i < 5; i++)
            Run(strand, $"{i}");

        _lanes.RunUntilIdle();

        Assert.Equal(["0", "1", "2", "3", "4"], _ran);
    }

    [Fact]
    public void Order_is_kept_when_better_work_comes_after_what_the_worker_kept_for_itself()
    {
        var (low, high) = (_lanes.NewStrand(0, "low"), _lanes.NewStrand(9, "high"));
        Run(low, "low", then: () =>
        {
            Run(low, "low, kept");
            Run(low, "low, queued");
            Run(high, "high");
        });

        _lanes.RunUntilIdle();

        Assert.Equal(["low", "high", "low, kept", "low, queued"], _ran);
    }

    [Fact]
    public void Run_one_says_whether_there_was_something_to_run()
    {
        Run(_lanes.NewStrand(0, "a"), "a");

        Assert.Equal(1, _lanes.Queued(Lane.Process));
        Assert.True(_lanes.RunOne());
        Assert.False(_lanes.RunOne());
        Assert.Equal(0, _lanes.Queued(Lane.Process));
        Assert.Equal(1, _lanes.Turns);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_a_worker_keeps_for_itself_waits_too_though_not_for_others(bool isScarce)
    {
        var strand = _lanes.NewStrand(0, "a");
        List<(int Queued, bool IsShared)> seen = [];
        Run(strand, "a", then: () =>
        {
            _lanes.Queues.Supply = isScarce ? ThreadSupply.Scarce : ThreadSupply.Ample;
            Note();
            Run(strand, "kept", then: Note);
            Note();
            Run(strand, "queued", then: Note);
            Note();
        });

        _lanes.RunUntilIdle();

        Assert.Equal([(0, false), (1, false), (2, true), (1, true), (0, false)], seen);

        void Note() => seen.Add((_lanes.Queued(Lane.Process), _lanes.Queues.HasShared));
    }

    private void Run(Strand strand, string name, Action? then = null) => strand.Run(() =>
    {
        _ran.Add(name);
        then?.Invoke();
    });

    private void Enter(Lane lane, string name) => _lanes.Post(lane, () => _ran.Add(name));

    private async Task After(Task gate, string name)
    {
        await gate;
        _ran.Add(name);
    }
}
