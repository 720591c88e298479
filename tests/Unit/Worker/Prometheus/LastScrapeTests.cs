using Holdfast.Virtual;
using Holdfast.Worker.Prometheus;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

/// <summary>When the end of a worker waits until it was seen.</summary>
public sealed class LastScrapeTests
{
    private static readonly TimeSpan s_apart = TimeSpan.FromSeconds(4);

    private readonly VirtualTime _time = new();
    private readonly FakeEngine _engine = new();
    private readonly LastScrape _last;

    public LastScrapeTests() => _last = new LastScrape(_engine, _time);

    [Fact]
    public async Task A_stop_that_cost_a_lease_waits_for_the_next_scrape()
    {
        ScrapeTwice();
        var stop = await StopAsync(misses: 1);
        Assert.False(stop.IsCompleted);

        _last.Served();
        await stop;
    }

    [Fact]
    public async Task It_waits_little_longer_than_scrapes_lie_apart()
    {
        ScrapeTwice();
        var stop = await StopAsync(misses: 1);

        _time.Advance(s_apart);
        Assert.False(stop.IsCompleted);
        _time.Advance(s_apart);
        await stop;
    }

    [Fact]
    public async Task However_far_apart_they_lie_it_does_not_wait_for_ever()
    {
        ScrapeTwice(TimeSpan.FromHours(1));
        var stop = await StopAsync(misses: 1);

        _time.Advance(LastScrape.Longest);
        await stop;
    }

    [Fact]
    public async Task A_stop_that_cost_nothing_waits_for_nothing()
    {
        ScrapeTwice();
        Assert.True((await StopAsync(misses: 0)).IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Where_nobody_scrapes_nobody_is_waited_for()
    {
        _last.Served();
        Assert.True((await StopAsync(misses: 1)).IsCompletedSuccessfully);
    }

    private void ScrapeTwice(TimeSpan? apart = null)
    {
        _last.Served();
        _time.Advance(apart ?? s_apart);
        _last.Served();
    }

    private async Task<Task> StopAsync(int misses)
    {
        await _last.StoppingAsync(default);
        _engine.Status = _engine.Status with { Queues = [FakeEngine.Orders with { Misses = misses }] };
        return _last.StopAsync(default);
    }
}
