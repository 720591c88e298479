namespace Holdfast.Worker.Commands;

/// <summary>Keeps to a rate: the nth goes no sooner than n of its intervals after the first. Without a rate it never waits.</summary>
internal sealed class Pace(double? perSecond, TimeProvider time)
{
    private readonly long _begin = time.GetTimestamp();
    private long _count;

    public async ValueTask NextAsync(CancellationToken cancel)
    {
        if (perSecond is not { } rate)
            return;

        var early = TimeSpan.FromSeconds(_count++ / rate) - time.GetElapsedTime(_begin);
        if (early > TimeSpan.Zero)
            await Task.Delay(early, time, cancel);
    }
}
