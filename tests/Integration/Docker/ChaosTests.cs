namespace Holdfast.Tests.Integration.Docker;

/// <summary>100,000 messages in all, through what users deploy, while that happens to it which does happen.</summary>
[Collection(nameof(Alone))]
public sealed class ChaosTests(Deployment deployment) : IClassFixture<Deployment>
{
    private const int Messages = 14_000;
    private const int MessagesUnderLoad = 1_000;

    // Each burns CPU for 60 ms on the clock: more than there is time for while a worker stops.
    private const int Burning = 2_000;

    private static readonly TimeSpan s_work = TimeSpan.FromMilliseconds(50);

    [Fact]
    public async Task A_worker_that_is_stopped_ends_well_and_nothing_is_handled_twice()
    {
        var act = await BeginAsync("stopped", workers: 2);
        await act.HandledAsync(30);
        Assert.Equal(0, await deployment.StopAsync(act.Workers[0]));
        await act.EndAsync();
    }

    [Fact]
    public async Task What_a_killed_worker_had_in_hand_is_handled_by_the_other_one()
    {
        var act = await BeginAsync("killed", workers: 2);
        await act.HandledAsync(30);
        await deployment.KillAsync(act.Workers[0]);
        await act.EndAsync(act.Workers[0]);
    }

    [Fact]
    public async Task What_a_paused_worker_had_in_hand_is_handled_by_the_other_one_and_it_comes_back()
    {
        var act = await BeginAsync("paused", workers: 2);
        await act.HandledAsync(30);
        await deployment.PauseAsync(act.Workers[0]);
        await act.HandledAsync(100);
        await deployment.UnpauseAsync(act.Workers[0]);
        await act.IsBackAsync(act.Workers[0]);
        await act.EndAsync(act.Workers[0]);
    }

    [Fact]
    public async Task What_a_worker_had_in_hand_that_is_cut_off_is_handled_by_the_other_one_and_it_comes_back()
    {
        var act = await BeginAsync("cut", workers: 2);
        await act.HandledAsync(30);
        await deployment.CutAsync(act.Workers[0]);
        await act.HandledAsync(100);
        await deployment.JoinAsync(act.Workers[0]);
        await act.IsBackAsync(act.Workers[0]);
        await act.EndAsync(act.Workers[0]);
    }

    [Fact]
    public async Task Workers_come_and_go_and_nothing_is_handled_twice()
    {
        var act = await BeginAsync("scaled", workers: 1);
        await act.HandledAsync(10);
        await deployment.ScaleAsync(4);
        await act.HandledAsync(60);
        await deployment.ScaleAsync(1);
        await act.EndAsync();
    }

    [Fact]
    public async Task When_the_broker_is_restarted_only_what_was_in_hand_is_handled_again()
    {
        var act = await BeginAsync("restarted", workers: 2);
        await act.HandledAsync(30);
        await deployment.RestartBrokerAsync();
        await act.EndAsync([.. act.Workers]);
    }

    [Fact]
    public async Task With_half_a_core_a_worker_is_slow_and_misses_no_lease()
    {
        var act = await BeginAsync("limited", workers: 1);
        await act.HandledAsync(30);
        await deployment.LimitCpuAsync(act.Workers[0], percent: 50);
        await act.HandledAsync(100);
        await deployment.LimitCpuAsync(act.Workers[0], null);
        await act.EndAsync();
    }

    [Fact]
    public async Task Under_full_load_a_worker_that_is_stopped_ends_in_time_and_nothing_is_handled_twice()
    {
        var act = await BeginAsync("stopped-under-load", workers: 2, MessagesUnderLoad);
        await StopUnderLoadAsync(act.Workers[0]);
        await act.EndAsync();
    }

    [Fact]
    public async Task Under_full_load_four_workers_are_restarted_one_by_one_and_no_lease_is_missed()
    {
        var act = await BeginAsync("rolling", workers: 4, MessagesUnderLoad);
        foreach (var worker in act.Workers)
        {
            await StopUnderLoadAsync(worker);
            await deployment.StartAgainAsync(worker);
        }

        await act.EndAsync();
    }

    private Task<Act> BeginAsync(string name, int workers, int messages = Messages) => Act.BeginAsync(deployment, name, workers, messages, s_work);

    // Whatever it holds when it is asked to stop competes for the CPU with what burns it, and so does the stop itself.
    private async Task StopUnderLoadAsync(Life worker)
    {
        await deployment.SendAsync(Deployment.Burn, Enumerable.Range(0, Burning).Select(n => $"{worker}-{n}"));
        Assert.Equal(0, await deployment.StopAsync(worker));
        Assert.NotEqual(0u, await deployment.PurgeAsync(Deployment.Burn));
        Assert.DoesNotContain(worker.Log, line => line.Contains("(DrainTimeout)", StringComparison.Ordinal));
    }
}
