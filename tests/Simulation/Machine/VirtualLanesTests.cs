using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Simulation.Machine;

public sealed class VirtualLanesTests : IDisposable
{
    private readonly List<string> _log = [];
    private readonly VirtualMachine _machine = new();

    public void Dispose() => _machine.Dispose();

    [Theory]
    [InlineData(1, 12)]
    [InlineData(3, 4)]
    public void So_many_threads_burn_at_once(int threads, int seconds)
    {
        var lanes = Lanes(threads);
        for (var i = 0; i < 12; i++)
            Burn(lanes.NewStrand(0, $"{i}"), 1);

        Run(100);

        Assert.Equal(12, _log.Count);
        Assert.StartsWith($"{seconds} ", _log[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void Timed_work_and_timers_go_on_while_every_thread_burns()
    {
        var lanes = Lanes(1);
        lanes.Add(new Beat(now => Note("beat")));
        Burn(lanes.NewStrand(0, "a"), 2.5);

        Run(3.5);

        Assert.Equal(["0 beat", "1 beat", "2 beat", "2.5 a", "3 beat"], _log);
    }

    [Fact]
    public void A_single_thread_runs_timed_work_between_its_turns()
    {
        var lanes = new VirtualLanes(_machine.NewProcess(), new() { SingleThread = true }).Scheduler;
        lanes.Add(new Beat(now => Note("beat")));
        Burn(lanes.NewStrand(0, "a"), 2.5);

        Run(4);

        Assert.Equal(["0 beat", "2.5 a", "2.5 beat", "3.5 beat"], _log);
    }

    [Fact]
    public void A_thread_that_blocks_is_replaced_and_stands_back_when_it_is_done()
    {
        var lanes = new VirtualLanes(_machine.NewProcess(), new() { Threads = 1 });
        lanes.Scheduler.NewStrand(0, "a").Run(() =>
        {
            _machine.Sleep(TimeSpan.FromSeconds(10));
            Note("a");
        });
        Burn(lanes.Scheduler.NewStrand(0, "b"), 1);

        Run(5);
        Assert.Equal(2, lanes.Hands);

        Run(10);
        Assert.Equal(["1.02 b", "10 a"], _log);
        Assert.Equal(1, lanes.Hands);
    }

    [Fact]
    public void A_continuation_comes_back_to_its_lane_from_a_timer()
    {
        var lanes = Lanes(1);
        var strand = lanes.NewStrand(0, "a");
        strand.Run(async () =>
        {
            await Task.Delay(TimeSpan.FromSeconds(1), _machine.Time);
            Assert.Same(strand, TaskScheduler.Current);
            _machine.Burn(TimeSpan.FromSeconds(1));
            Note("a");
        });

        Run(5);

        Assert.Equal(["2 a"], _log);
    }

    [Fact]
    public void What_is_burnt_of_cores_of_their_own_and_waited_for_while_neighbours_have_them_is_told()
    {
        var process = _machine.NewProcess(cores: 1);
        var lanes = new VirtualLanes(process, new() { Threads = 1 }).Scheduler;
        Burn(lanes.NewStrand(0, "alone"), 1);
        Run(1);
        process.Neighbours = 2;
        Burn(lanes.NewStrand(0, "beside two"), 3);
        Run(20);

        Assert.Equal(["1 alone", "10 beside two"], _log);
        Assert.Equal(TimeSpan.FromSeconds(4), lanes.CpuTime);
        Assert.Equal(TimeSpan.FromSeconds(6), lanes.WaitForCpu);
        Assert.Equal(1, lanes.Cpus);
    }

    [Fact]
    public void Without_cores_of_their_own_it_is_not_known() => Assert.Null(Lanes(1).CpuTime);

    private LaneScheduler Lanes(int threads) => new VirtualLanes(_machine.NewProcess(), new() { Threads = threads }).Scheduler;

    private void Burn(Strand strand, double seconds) => strand.Run(() =>
    {
        _machine.Burn(TimeSpan.FromSeconds(seconds));
        Note(strand.Name);
    });

    private void Run(double seconds) => _machine.Run(TimeSpan.FromSeconds(seconds));

    private void Note(string what) => _log.Add($"{_machine.Time.Elapsed.TotalSeconds} {what}");

    private sealed class Beat(Action<TimeSpan> beat) : ITimedWork
    {
        private TimeSpan _next;

        public TimeSpan RunDue(TimeSpan now)
        {
            if (now >= _next)
            {
                beat(now);
                _next = now + TimeSpan.FromSeconds(1);
            }

            return _next;
        }
    }
}
