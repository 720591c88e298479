using Holdfast.Scheduling;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>Says how many more messages of a queue may be taken beside those in hand, and tells the Pump when there is room again. Any thread.</summary>
internal sealed class Admission(QueueOptions options, int threads, Breaker? breaker = null, RateLimit? rate = null)
{
    private const int SlotsForOneAtRest = 50;

    // A large message is reckoned with for some dozens of smaller ones: it is seldom alone in a queue.
    private const int ForgettingSize = 16;

    // Reckoned with for each until the first has come and shown better.
    private const long UnknownSize = 64L << 20;

    private readonly AdmissionLimit _limit = new(options.Admission, options.MaxConcurrency, threads);
    private readonly Signal _room = new();
    private long _likelySize = -1;
    private int _resting;
    private bool _wasFull;
    private bool _isPoolLate;
    private bool _isStrained;
    private bool _areThreadsScarce;
    private bool _isInLine;

    /// <summary>That of a queue, with all that its settings ask for.</summary>
    public static Admission Of(QueueOptions options, string queue, LaneScheduler lanes, ILogger log) => new(
        options,
        lanes.Threads,
        options.Breaker.FailureRatio > 0 ? new Breaker(options.Breaker, queue, lanes.Clock, log) : null,
        options.RateLimit.PerSecond > 0 ? new RateLimit(options.RateLimit, lanes.Clock) : null);

    /// <summary>A reason, for a person to read.</summary>
    public static string? Sentence(HoldReason? reason) => reason switch
    {
        HoldReason.Leases => "leases are renewed late or not at all",
        HoldReason.Pool => "the .NET thread pool answers late",
        HoldReason.Threads => "so many handlers block that hardly a thread is left (MaxSpareThreads)",
        HoldReason.Bytes => "bytes in flight have reached MaxBytesInFlight",
        HoldReason.Breaker => "too many handlers have failed (Breaker__FailureRatio)",
        HoldReason.Rate => "as many messages have begun as RateLimit__PerSecond allows",
        HoldReason.Order => "most of what is in hand waits for others of its key (OrderBy)",
        _ => null,
    };

    public InHand InHand { get; } = new();

    public int Limit => _limit.Value;

    public int Used => InHand.Count;

    /// <summary>How many more messages may be taken now.</summary>
    public int Room => Holding is null ? Math.Max(0, Math.Min(Math.Min(Limit - Used, Fitting), Allowed)) : 0;

    /// <summary>
    /// Whether one more message may keep its slot while it only waits to be tried again. At most a fiftieth of the slots may:
    /// a flood of failures must not take them from messages that would succeed. Those that would be put aside instead do not ask.
    /// </summary>
    public bool MayRest => Volatile.Read(ref _resting) < Math.Max(1, Limit / SlotsForOneAtRest);

    /// <summary>Why none may be taken, where it is not that the machine carries no more.</summary>
    public HoldReason? Holding =>
        _isStrained ? HoldReason.Leases
        : _isPoolLate ? HoldReason.Pool
        : _areThreadsScarce ? HoldReason.Threads
        : InHand.Bytes >= options.MaxBytesInFlight ? HoldReason.Bytes
        : breaker is { Room: 0 } ? HoldReason.Breaker
        : rate is { Room: 0 } ? HoldReason.Rate
        : _isInLine && IsFull ? HoldReason.Order
        : null;

    // Whether it is the limit that keeps messages out: of what else does, it has nothing to learn.
    private bool IsFull => Used >= Limit;

    // Asked for is a number of messages, and all that they carry comes: a queue of large ones must not fill the memory because one slot's worth of bytes was free.
    private int Fitting =>
        LikelySize is > 0 and var size ? (int)Math.Clamp((options.MaxBytesInFlight - InHand.Bytes) / size, 1, int.MaxValue) : int.MaxValue;

    private long LikelySize => Volatile.Read(ref _likelySize) is >= 0 and var known ? known : UnknownSize;

    private int Allowed => Math.Min(breaker?.Room ?? int.MaxValue, rate?.Room ?? int.MaxValue);

    /// <summary>Completes once there is room. One caller at a time: the Pump.</summary>
    public ValueTask RoomAsync()
    {
        if (Room > 0)
            return ValueTask.CompletedTask;

        if (IsFull)
            Volatile.Write(ref _wasFull, true);
        var room = _room.WaitAsync();
        TellOfRoom();
        return room;
    }

    /// <summary>Lets the Pump go, room or not: it is to stop.</summary>
    public void CallOff() => _room.Set();

    /// <summary>A message is in hand. One caller at a time: the Pump.</summary>
    public void Enter(Journey journey)
    {
        breaker?.Enter(journey);
        rate?.Enter();
        InHand.Enter(journey);
        Volatile.Write(ref _likelySize, Math.Max(journey.Bytes, _likelySize * (ForgettingSize - 1) / ForgettingSize));
    }

    /// <summary>A message is out of our hands, if it was not already.</summary>
    public void Leave(Journey journey)
    {
        if (!InHand.Leave(journey))
            return;

        breaker?.Leave(journey);
        TellOfRoom();
    }

    /// <summary>A message's handler has come to its end.</summary>
    public void Report(Journey journey, HandlerOutcome outcome) => breaker?.Report(journey, outcome);

    /// <summary>A message's handler has failed, and waits to run again.</summary>
    public void Rest(HeldMessage message)
    {
        message.IsResting = true;
        Interlocked.Increment(ref _resting);
    }

    /// <summary>It runs again, or never will.</summary>
    public void Wake(HeldMessage message)
    {
        if (!message.IsResting)
            return;

        message.IsResting = false;
        Interlocked.Decrement(ref _resting);
    }

    /// <summary>Told by the Pacer, a few times in a second.</summary>
    /// <param name="load">How the machine did since.</param>
    /// <param name="isStrained">Whether leases are renewed late, or not at all.</param>
    /// <param name="order">Who in hand waits for others of their key; null where nobody does.</param>
    /// <param name="need">What of the load is this queue's; null where all is.</param>
    public void Adapt(Load load, bool isStrained, KeyOrder? order, ThreadNeed? need = null)
    {
        _isPoolLate = load.IsPoolLate;
        _areThreadsScarce = load.AreThreadsScarce;
        _isStrained = isStrained;
        _isInLine = order?.Waiting * 2 > Used;
        _limit.Adapt(load, Used, _wasFull, order?.CountLate() ?? 0, need);
        Volatile.Write(ref _wasFull, IsFull);
        TellOfRoom();
    }

    private void TellOfRoom()
    {
        if (Room > 0)
            _room.Set();
    }
}
