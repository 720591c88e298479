using Holdfast.Consumer;
using Holdfast.Virtual;
using Holdfast.Worker.Prometheus;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

/// <summary>When the end of a worker waits until it was seen.</summary>
public sealed class LastScrapeTests : IDisposable
{
    private static readonly TimeSpan s_apart = TimeSpan.FromSeconds(4);

    private readonly VirtualTime _time = new();
    private readonly FakeEngine _engine = new();
    private readonly HoldfastMeter _meter = new();
    private readonly LastScrape _last;

    public LastScrapeTests() => _last = new LastScrape(_engine, _meter, _time);

    public void Dispose() => _meter.Dispose();

    [Fact]
    public async Task Misses_that_no_scrape_has_shown_yet_wait_for_the_next_one()
    {
        ScrapeTwice();
        var stop = Stop(misses: 1);
        Assert.False(stop.IsCompleted);

        Scrape();
        await stop;
    }

    [Fact]
    public async Task A_drain_that_timed_out_without_a_miss_waits_for_the_next_scrape_too()
    {
        ScrapeTwice();
        _meter.DrainTimedOut();
        var stop = Stop(misses: 0);
        Assert.False(stop.IsCompleted);

        Scrape();
        await stop;
    }

    [Fact]
    public async Task A_scrape_that_began_before_the_last_of_them_is_not_enough()
    {
        ScrapeTwice();
        var stop = Stop(misses: 2);

        _last.Served(1);
        Assert.False(stop.IsCompleted);
        Scrape();
        await stop;
    }

    [Fact]
    public void One_that_began_before_another_and_ended_after_it_takes_nothing_back()
    {
        ScrapeTwice();
        Lose(2);
        Scrape();
        _last.Served(1);

        Assert.True(Stop(misses: 2).IsCompletedSuccessfully);
    }

    [Fact]
    public async Task However_close_together_they_came_it_waits_for_a_late_one_and_not_for_ever()
    {
        ScrapeTwice();
        var stop = Stop(misses: 1);

        _time.Advance(LastScrape.Longest - s_apart);
        Assert.False(stop.IsCompleted);
        _time.Advance(s_apart);
        await stop;
    }

    [Fact]
    public void Where_all_misses_were_seen_nothing_is_waited_for()
    {
        Lose(3);
        ScrapeTwice();
        Assert.True(Stop(misses: 3).IsCompletedSuccessfully);
    }

    [Fact]
    public void Where_nobody_scrapes_nobody_is_waited_for()
    {
        Scrape();
        Assert.True(Stop(misses: 1).IsCompletedSuccessfully);
    }

    private void ScrapeTwice()
    {
        Scrape();
        _time.Advance(s_apart);
        Scrape();
    }

    private void Scrape() => _last.Served(_last.Troubles);

    private Task Stop(int misses)
    {
        Lose(misses);
        return _last.StopAsync(default);
    }

    private void Lose(int misses) => _engine.Status = _engine.Status with { Queues = [FakeEngine.Orders with { Misses = misses }] };
}
