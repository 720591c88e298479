using Holdfast.Consumer;
using Holdfast.Tests.Unit.Worker;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class HealthRulesTests
{
    private static readonly EngineStatus s_running = new FakeEngine().Status;

    [Theory]
    [InlineData(EngineState.Starting, false, true, false)]
    [InlineData(EngineState.Running, true, true, true)]
    [InlineData(EngineState.Draining, true, true, false)]
    [InlineData(EngineState.Stopped, true, true, false)]
    [InlineData(EngineState.Failed, false, false, false)]
    public void Each_state_has_its_answers(EngineState state, bool started, bool lives, bool ready)
    {
        var status = s_running with { State = state };

        Assert.Equal((started, lives, ready), (HealthRules.Startup(status).Healthy, HealthRules.Live(status).Healthy, HealthRules.Ready(status).Healthy));
    }

    [Fact]
    public void A_fault_ends_everything_and_is_told()
    {
        var status = s_running with { Fault = "the lease loop crashed" };
        var no = new HealthVerdict(false, "the lease loop crashed");

        Assert.Equal([no, no, no], [HealthRules.Startup(status), HealthRules.Live(status), HealthRules.Ready(status)]);
    }

    [Fact]
    public void A_lease_loop_that_does_not_come_round_is_not_alive()
    {
        Assert.True(HealthRules.Live(s_running with { LeaseLoopSilence = TimeSpan.FromSeconds(10) }).Healthy);
        Assert.Equal(
            new HealthVerdict(false, "the lease loop has not come round for 10.5 s"),
            HealthRules.Live(s_running with { LeaseLoopSilence = TimeSpan.FromSeconds(10.5) }));
    }

    [Fact]
    public void A_lease_loop_that_has_ended_as_it_should_is_not_missed() =>
        Assert.True(HealthRules.Live(s_running with { State = EngineState.Stopped, LeaseLoopSilence = TimeSpan.FromMinutes(1) }).Healthy);

    [Fact]
    public void A_queue_that_is_cut_off_makes_the_worker_unready_but_not_dead()
    {
        var status = s_running with { Queues = [FakeEngine.Orders, FakeEngine.Orders with { Queue = "bills", IsConnected = false, Problem = "refused" }] };

        Assert.Equal(new HealthVerdict(false, "bills is not connected: refused"), HealthRules.Ready(status));
        Assert.True(HealthRules.Live(status).Healthy && HealthRules.Startup(status).Healthy);
    }
}
