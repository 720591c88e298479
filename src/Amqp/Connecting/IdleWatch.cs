namespace Holdfast.Amqp;

/// <summary>
/// When we must let the peer hear of us, and when it has been silent for too long: sooner where somebody waits for its answer. Behind the gate, but for
/// what the reader reads and for who waits.
/// </summary>
/// <param name="time">Whose clock.</param>
/// <param name="patience">How long the peer may be silent; zero: for ever.</param>
/// <param name="answerPatience">How long while somebody waits for its answer; zero: no shorter.</param>
internal sealed class IdleWatch(TimeProvider time, TimeSpan patience, TimeSpan answerPatience)
{
    // The peer expects something within its time-out; half of that is the custom, and a third leaves room for a late thread.
    private const int BeatsPerTimeout = 3;

    // Both threads may have been frozen, and this one be the first to wake: so it looks twice.
    private const int LooksPerPatience = 10;

    // The peer may be slow to answer, and yet alive: so it is asked for a sign of life first, and has the rest of the time for that.
    private const double PartToAsk = 0.4;

    // What was written before the question has to arrive before it, and a path may be no faster than that: bytes a second.
    // A buffer on the way takes more than it passes on; but what lies in one is not boundless, or who sends much would never be asked to wait.
    private const double SlowestPath = 64 * 1024;
    private const double MostUnderway = 1024 * 1024;

    private long _lastRead = time.GetTimestamp();
    private long _lastWrite = time.GetTimestamp();
    private TimeSpan _beat = TimeSpan.MaxValue;
    private long? _lookedAt;
    private TimeSpan _lookAgainAfter;
    private bool _isSuspected;
    private int _waiting;
    private long _waitingSince;
    private bool _isLookWanted;
    private long? _askedAt;
    private TimeSpan _askedPatience;
    private double _underway;

    public long LastRead => Volatile.Read(ref _lastRead);

    /// <summary>How long the writer may sleep.</summary>
    public TimeSpan UntilDue => Least(UntilBeat, Least(UntilLook, UntilQuestion));

    public bool IsBeatDue => UntilBeat <= TimeSpan.Zero;

    /// <summary>Whether the peer should be asked for a sign of life.</summary>
    public bool IsQuestionDue => UntilQuestion <= TimeSpan.Zero;

    /// <summary>Whether nothing has come for so long that it is worth a closer look.</summary>
    public bool IsPeerQuiet => UntilQuiet <= TimeSpan.Zero;

    /// <summary>Whether the peer was asked for a sign of life, and nothing has come since.</summary>
    public bool IsAsked => _askedAt is { } asked && LastRead <= asked;

    /// <summary>Whether somebody has begun to wait for an answer since the writer last looked: it may mean to sleep for longer than that allows.</summary>
    public bool IsLookWanted => Volatile.Read(ref _isLookWanted);

    /// <summary>How long the peer may be silent as things are.</summary>
    public TimeSpan Patience => IsAsked ? _askedPatience : patience;

    // In bytes, as on the slowest path. What is read tells nothing of it: the peer may have sent that before ours arrived.
    private double Underway => Math.Max(0, _underway - (time.GetElapsedTime(_lastWrite).TotalSeconds * SlowestPath));

    private TimeSpan UntilBeat => _beat < TimeSpan.MaxValue ? _beat - time.GetElapsedTime(_lastWrite) : TimeSpan.MaxValue;

    // To be asked for a sign of life makes nobody's silence longer than it may be anyway.
    private TimeSpan UntilQuiet => Least(Left(patience, LastRead), UntilUnanswered);

    private TimeSpan UntilUnanswered => IsAsked ? Left(_askedPatience, _askedAt!.Value) : TimeSpan.MaxValue;

    private TimeSpan UntilLook => _lookedAt is { } looked ? _lookAgainAfter - time.GetElapsedTime(looked) : UntilQuiet;

    private TimeSpan UntilQuestion =>
        Volatile.Read(ref _waiting) == 0 || IsAsked || answerPatience <= TimeSpan.Zero
            ? TimeSpan.MaxValue
            : answerPatience * PartToAsk - time.GetElapsedTime(Math.Max(LastRead, Volatile.Read(ref _waitingSince)));

    /// <summary>What the peer demands in its open frame; null or zero where it demands nothing.</summary>
    public void SetPeerTimeout(uint? milliseconds) =>
        _beat = milliseconds is > 0 and var timeout ? TimeSpan.FromMilliseconds(timeout) / BeatsPerTimeout : TimeSpan.MaxValue;

    public void NoteRead() => Volatile.Write(ref _lastRead, time.GetTimestamp());

    public void NoteWrite(int bytes)
    {
        _underway = Math.Min(MostUnderway, Underway + bytes);
        _lastWrite = time.GetTimestamp();
    }

    /// <summary>Somebody waits for an answer. Any thread.</summary>
    public void NoteWaiting()
    {
        if (Interlocked.Increment(ref _waiting) > 1)
            return;
        Volatile.Write(ref _waitingSince, time.GetTimestamp());
        Volatile.Write(ref _isLookWanted, true);
    }

    /// <summary>One who waited has the answer, or waits no longer. Any thread.</summary>
    public void NoteWaitOver() => Interlocked.Decrement(ref _waiting);

    /// <summary>The writer looks. Whoever begins to wait from here on is seen by it, or wakes it.</summary>
    public void NoteLook() => Interlocked.Exchange(ref _isLookWanted, false);

    /// <summary>There is nothing to ask the peer by as yet.</summary>
    public void PutOffQuestion() => Volatile.Write(ref _waitingSince, time.GetTimestamp());

    /// <summary>The peer is being asked for a sign of life.</summary>
    public void NoteQuestion()
    {
        _askedAt = time.GetTimestamp();
        _askedPatience = (answerPatience * (1 - PartToAsk)) + TimeSpan.FromSeconds(Underway / SlowestPath);
    }

    /// <summary>The peer's side takes more again: the path is not cut, and the question may still be on its way.</summary>
    public void NoteResumed()
    {
        if (IsAsked)
            NoteQuestion();
    }

    /// <summary>Whether the peer is given up: where it was quiet, in vain, at two looks in a row.</summary>
    /// <param name="inVain">Whether somebody waits for it, and nothing is there.</param>
    public bool IsPeerGone(bool inVain)
    {
        if (!IsPeerQuiet)
        {
            _lookedAt = null;
            return false;
        }

        if (_lookedAt is not null && _isSuspected == inVain)
        {
            if (UntilLook > TimeSpan.Zero)
                return false;
            if (inVain)
                return true;
        }

        // How soon it is looked again is up to the rule by which it is quiet: a question has its own time, however long the silence was before.
        (_lookedAt, _isSuspected) = (time.GetTimestamp(), inVain);
        _lookAgainAfter = (UntilUnanswered <= TimeSpan.Zero ? _askedPatience : patience) / LooksPerPatience;
        return false;
    }

    private TimeSpan Left(TimeSpan most, long since) => most > TimeSpan.Zero ? most - time.GetElapsedTime(since) : TimeSpan.MaxValue;

    private static TimeSpan Least(TimeSpan one, TimeSpan other) => one < other ? one : other;
}
