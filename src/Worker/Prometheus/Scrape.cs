namespace Holdfast.Worker.Prometheus;

/// <summary>One exposition, shared by all who asked for it at about the same time; its buffer goes back to the pool after the last.</summary>
internal sealed class Scrape(ExpositionFormat format)
{
    private readonly TaskCompletionSource<bool> _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _holders = 1;

    public ExpositionFormat Format => format;

    public Utf8Text Text { get; } = new();

    /// <summary>Completes once the text is there: false where it could not be written.</summary>
    public Task<bool> Done => _done.Task;

    /// <summary>When the text was there, as a timestamp.</summary>
    public long DoneAt { get; private set; }

    /// <summary>How many misses, and drains that timed out, there were when it began: it shows as many, or more.</summary>
    public long Troubles { get; set; }

    public void Finish(bool isWritten, long at)
    {
        DoneAt = at;
        _done.SetResult(isWritten);
    }

    public Scrape Hold()
    {
        Interlocked.Increment(ref _holders);
        return this;
    }

    public void Release()
    {
        if (Interlocked.Decrement(ref _holders) == 0)
            Text.ReturnToPool();
    }
}
