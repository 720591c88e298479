namespace Holdfast.Worker.Prometheus;

/// <summary>Lets scrapes that come at about the same time share one collection, and never lets two run at once.</summary>
internal sealed class ScrapeCache(Func<Utf8Text, ExpositionFormat, bool> write, TimeProvider time, Func<long> troubles)
{
    private static readonly TimeSpan s_fresh = TimeSpan.FromMilliseconds(300);

    private readonly Lock _gate = new();
    private readonly Scrape?[] _latest = new Scrape?[2];
    private Task _running = Task.CompletedTask;

    /// <summary>Gives a scrape that the caller releases.</summary>
    public async Task<Scrape> TakeAsync(ExpositionFormat format)
    {
        var (scrape, before) = Join(format);
        if (before is not null)
        {
            await before;
            Collect(scrape);
        }

        await scrape.Done;
        return scrape;
    }

    // Gives what to wait for before collecting, or nothing where somebody else collects.
    private (Scrape Scrape, Task? Before) Join(ExpositionFormat format)
    {
        lock (_gate)
        {
            ref var latest = ref _latest[(int)format];
            if (latest is not null && IsFresh(latest))
                return (latest.Hold(), null);
            latest?.Release();
            latest = new Scrape(format);
            var before = _running;
            _running = latest.Done;
            return (latest.Hold(), before);
        }
    }

    private bool IsFresh(Scrape scrape) =>
        !scrape.Done.IsCompleted || (scrape.Done.Result && time.GetElapsedTime(scrape.DoneAt) < s_fresh);

    private void Collect(Scrape scrape)
    {
        var isWritten = false;
        try
        {
            scrape.Troubles = troubles();
            isWritten = write(scrape.Text, scrape.Format);
        }
        finally
        {
            scrape.Finish(isWritten, time.GetTimestamp());
        }
    }
}
