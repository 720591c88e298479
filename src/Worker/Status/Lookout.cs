using Holdfast.Consumer;

namespace Holdfast.Worker.Status;

/// <summary>Looks at the engine for people, at most a few times in a second, however many of them ask. Any thread.</summary>
internal sealed class Lookout(IEngine engine, TimeProvider time)
{
    /// <summary>How often viewers are shown a new picture.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromMilliseconds(250);

    // That are shown one by one.
    private const int MostLeases = 500;

    private static readonly TimeSpan s_goodFor = Period / 2;

    private readonly Lock _gate = new();
    private Picture? _last;
    private long _lookedAt;

    /// <summary>The picture of this moment, or of one that is hardly past.</summary>
    public Picture Look()
    {
        lock (_gate)
            return _last is { } last && time.GetElapsedTime(_lookedAt) < s_goodFor ? last : LookAnew();
    }

    /// <summary>The picture of this moment.</summary>
    public Picture LookAnew()
    {
        lock (_gate)
        {
            _lookedAt = time.GetTimestamp();
            return _last = new Picture(time.GetUtcNow(), engine.Status, engine.Leases(MostLeases), engine.LastMisses);
        }
    }
}
