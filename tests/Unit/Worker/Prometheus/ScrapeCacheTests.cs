using Holdfast.Virtual;
using Holdfast.Worker.Prometheus;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

public sealed class ScrapeCacheTests
{
    private readonly VirtualTime _time = new();
    private readonly List<ExpositionFormat> _collected = [];

    [Fact]
    public async Task Scrapes_within_a_moment_share_one_collection()
    {
        var cache = new ScrapeCache(Collect, _time, () => 0);

        var first = await cache.TakeAsync(ExpositionFormat.Text);
        _time.Advance(TimeSpan.FromMilliseconds(299));
        Assert.Same(first, await cache.TakeAsync(ExpositionFormat.Text));
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.NotSame(first, await cache.TakeAsync(ExpositionFormat.Text));

        Assert.Equal(2, _collected.Count);
    }

    [Fact]
    public async Task What_is_shared_shows_the_troubles_of_when_it_was_collected()
    {
        var troubles = 1;
        var cache = new ScrapeCache(Collect, _time, () => troubles);

        await cache.TakeAsync(ExpositionFormat.Text);
        troubles = 2;
        Assert.Equal(1, (await cache.TakeAsync(ExpositionFormat.Text)).Troubles);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(2, (await cache.TakeAsync(ExpositionFormat.Text)).Troubles);
    }

    [Fact]
    public async Task Scrapes_at_the_same_time_share_one_collection_and_another_format_waits_its_turn()
    {
        using var begun = new AutoResetEvent(false);
        using var goOn = new AutoResetEvent(false);
        var cache = new ScrapeCache(
            (text, format) =>
            {
                begun.Set();
                goOn.WaitOne();
                return Collect(text, format);
            }, _time, () => 0);

        var first = Task.Run(() => cache.TakeAsync(ExpositionFormat.Text));
        begun.WaitOne();
        var second = cache.TakeAsync(ExpositionFormat.Text);
        var other = cache.TakeAsync(ExpositionFormat.OpenMetrics);
        Assert.False(second.IsCompleted || other.IsCompleted);
        goOn.Set();
        Assert.Same(await first, await second);
        Assert.Equal([ExpositionFormat.Text], _collected);
        goOn.Set();
        await other;

        Assert.Equal([ExpositionFormat.Text, ExpositionFormat.OpenMetrics], _collected);
    }

    [Fact]
    public async Task A_slow_reader_keeps_its_text_while_the_next_scrape_is_collected()
    {
        var cache = new ScrapeCache(Collect, _time, () => 0);
        var slow = await cache.TakeAsync(ExpositionFormat.Text);
        _time.Advance(TimeSpan.FromSeconds(1));
        (await cache.TakeAsync(ExpositionFormat.Text)).Release();

        Assert.Equal("scrape 1"u8.ToArray(), slow.Text.Written.ToArray());
        slow.Release();
        Assert.Equal(0, slow.Text.Length);
    }

    [Fact]
    public async Task A_failed_collection_is_told_and_not_kept()
    {
        var fails = true;
        var cache = new ScrapeCache((text, format) => !fails && Collect(text, format), _time, () => 0);
        Assert.False(await (await cache.TakeAsync(ExpositionFormat.Text)).Done);

        fails = false;

        Assert.True(await (await cache.TakeAsync(ExpositionFormat.Text)).Done);
    }

    private bool Collect(Utf8Text text, ExpositionFormat format)
    {
        _collected.Add(format);
        text.Write($"scrape {_collected.Count}");
        return true;
    }
}
