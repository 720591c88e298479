namespace Holdfast.Amqp;

/// <summary>When we must let the peer hear of us, and when it has been silent for too long. The writer thread's, which the reader tells what it reads.</summary>
internal sealed class IdleWatch(TimeProvider time, TimeSpan patience)
{
    // The peer expects something within its time-out; half of that is the custom, and a third leaves room for a late thread.
    private const int BeatsPerTimeout = 3;

    // Both threads may have been frozen, and this one be the first to wake: so it looks twice.
    private const int LooksPerPatience = 10;

    private long _lastRead = time.GetTimestamp();
    private long _lastWrite = time.GetTimestamp();
    private TimeSpan _beat = TimeSpan.MaxValue;
    private long? _suspectedAt;

    public long LastRead => Volatile.Read(ref _lastRead);

    /// <summary>How long the writer may sleep.</summary>
    public TimeSpan UntilDue => UntilBeat < UntilLook ? UntilBeat : UntilLook;

    public bool IsBeatDue => UntilBeat <= TimeSpan.Zero;

    /// <summary>Whether nothing has come for so long that it is worth a closer look.</summary>
    public bool IsPeerQuiet => patience > TimeSpan.Zero && time.GetElapsedTime(LastRead) >= patience;

    private TimeSpan UntilBeat => _beat < TimeSpan.MaxValue ? _beat - time.GetElapsedTime(_lastWrite) : TimeSpan.MaxValue;

    private TimeSpan UntilLook =>
        patience <= TimeSpan.Zero ? TimeSpan.MaxValue
        : _suspectedAt is { } suspected ? patience / LooksPerPatience - time.GetElapsedTime(suspected)
        : patience - time.GetElapsedTime(LastRead);

    /// <summary>What the peer demands in its open frame; null or zero where it demands nothing.</summary>
    public void SetPeerTimeout(uint? milliseconds) =>
        _beat = milliseconds is > 0 and var timeout ? TimeSpan.FromMilliseconds(timeout) / BeatsPerTimeout : TimeSpan.MaxValue;

    public void NoteRead() => Volatile.Write(ref _lastRead, time.GetTimestamp());

    public void NoteWrite() => _lastWrite = time.GetTimestamp();

    /// <summary>Whether the peer is given up.</summary>
    /// <param name="inVain">Whether somebody waits for it, and nothing is there.</param>
    public bool IsPeerGone(bool inVain)
    {
        if (!IsPeerQuiet || !inVain)
        {
            _suspectedAt = null;
            return false;
        }

        _suspectedAt ??= time.GetTimestamp();
        return UntilLook <= TimeSpan.Zero;
    }
}
