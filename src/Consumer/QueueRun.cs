using Holdfast.Broker;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>One queue while it is consumed: what its Pump, its Journeys and its leases have in common.</summary>
internal sealed class QueueRun(string queue, QueueOptions options, QueueMeter meter, Admission admission, Attempts attempts, LaneScheduler lanes, ILogger log)
{
    private readonly Lock _severing = new();
    private readonly Lock _opening = new();
    private LeaseBook? _leases;
    private bool _isClosed;
    private int _epoch;
    private bool _isTrying = true;
    private int _isReachTold;
    private string? _obstacle;

    public string Queue { get; } = queue;

    public QueueMeter Meter { get; } = meter;

    public required MessageTracer Tracer { get; init; }

    public Admission Admission { get; } = admission;

    public InHand InHand => Admission.InHand;

    public Attempts Attempts { get; } = attempts;

    public FailurePolicy Failures { get; } = new(options.Retry, options.Lease.AtLimit);

    /// <summary>What is logged of its messages.</summary>
    public MessageLog MessageLog { get; } = new(queue, lanes.Clock.Time, log);

    /// <summary>Which of its settlements the broker refuses for now.</summary>
    public PutOff PutOff { get; } = new(queue, log);

    public required Completed Completed { get; init; }

    /// <summary>Null where messages are handled in any order.</summary>
    public KeyOrder? Order { get; } = KeyOrder.By(options.OrderBy, lanes.Clock);

    public MessagePriority Priorities { get; } = new(options.PriorityFrom, queue, log);

    public LaneScheduler Lanes { get; } = lanes;

    /// <summary>When its Pump may ask.</summary>
    public ReceiveTurn ReceiveTurn { get; } = new(lanes);

    public TimeProvider Time => Lanes.Clock.Time;

    public ILogger Log { get; } = log;

    /// <summary>The broker's last complaint, while it lasts.</summary>
    public string? Problem { get; private set; }

    public bool IsOpen => _leases is not null;

    public bool IsConnected => _leases?.Receiver.IsConnected == true;

    public bool IsStrained => _leases?.IsStrained(Lanes.Clock.Now) == true;

    /// <summary>How long a lock lasts, as last seen; zero before the first.</summary>
    public TimeSpan LockDuration => _leases?.LockDuration ?? TimeSpan.Zero;

    public IReceiver Receiver => Leases.Receiver;

    public LeaseBook Leases => _leases ?? throw new InvalidOperationException($"{Queue} is not open yet.");

    private bool IsReached => _isTrying && IsConnected;

    private bool HasNewEpoch => _leases?.Receiver is { } receiver && receiver.Epoch != Volatile.Read(ref _epoch);

    /// <summary>Its receiver is there. If it came after the queue was closed, it is closed as well.</summary>
    public async ValueTask OpenAsync(IReceiver receiver)
    {
        lock (_opening)
            _leases = new LeaseBook(receiver, options.Lease, Lanes, Meter, MessageLog, Tracer);
        if (_isClosed)
            await CloseAsync(receiver);
    }

    /// <summary>
    /// Ends the leases that are known to have ended with what they lived with. Their messages come again at once, and to us as well:
    /// whoever handles them is to know before that. Returns when none of them has a lease any more, and all are being told. Any thread that may wait.
    /// </summary>
    public void EndSevered()
    {
        if (!HasNewEpoch)
            return;
        lock (_severing)
            TellSevered();
    }

    /// <summary>The same, unless somebody else is at it.</summary>
    public void TryEndSevered()
    {
        if (!HasNewEpoch || !_severing.TryEnter())
            return;
        try
        {
            TellSevered();
        }
        finally
        {
            _severing.Exit();
        }
    }

    /// <returns>Whether anybody was told since the last complaint that the broker is reached.</returns>
    public bool Complain(string problem)
    {
        (Problem, _isTrying) = (problem, false);
        return Interlocked.Exchange(ref _isReachTold, 0) == 1;
    }

    /// <summary>From here on the complaint lasts only while the broker can't be reached: it may be long until a message proves that all is well.</summary>
    public void TryAgain() => _isTrying = true;

    public void BeContent()
    {
        (Problem, _isTrying) = (null, false);
        TellOfReach();
    }

    /// <summary>Tells that the broker is reached, at first and again after trouble, though no message may come for long. Tells it in a turn: a log may hold up whoever asks.</summary>
    public void TellIfReached()
    {
        if (IsReached && Volatile.Read(ref _isReachTold) == 0)
            Lanes.TellInTurn(TellIfStillReached);
    }

    /// <summary>Tells that something is in the way, and that it no longer is. Once each; in a turn, for the same reason.</summary>
    public void TellOfObstacle()
    {
        var obstacle = _leases?.Receiver.Obstacle;
        if (obstacle == Interlocked.Exchange(ref _obstacle, obstacle))
            return;

        Lanes.TellInTurn(() =>
        {
            if (obstacle is null)
                Log.NoObstacle(Queue);
            else
                Log.Obstacle(Queue, obstacle);
        });
    }

    public QueueStatus Status()
    {
        var holding = Admission.Holding;
        return new()
        {
            Queue = Queue,
            IsConnected = IsConnected,
            Problem = (IsReached ? null : Problem) ?? _leases?.Receiver.Obstacle ?? PutOff.Problem ?? (IsConnected ? null : _leases?.Trouble),
            LeasesHeld = Meter.Held,
            SlotsUsed = Admission.Used,
            SlotsLimit = Admission.Limit,
            Holding = Admission.Sentence(holding),
            HoldingReason = holding is { } reason ? Names.Of(reason) : null,
            Received = Meter.Received,
            Completed = Meter.Settled(SettlementKind.Complete),
            Abandoned = Meter.Settled(SettlementKind.Abandon),
            Delayed = Meter.Settled(SettlementKind.Delay),
            DeadLettered = Meter.Settled(SettlementKind.DeadLetter),
            Renewals = Meter.Renewals(Renewal.Renewed),
            Misses = Enum.GetValues<MissReason>().Sum(Meter.Misses),
            LeastMargin = Meter.LeastMargin,
        };
    }

    public async ValueTask CloseAsync()
    {
        MessageLog.Dispose();
        lock (_opening)
            _isClosed = true;
        if (_leases is not null)
            await CloseAsync(_leases.Receiver);
    }

    private async ValueTask CloseAsync(IReceiver receiver)
    {
        try
        {
            await receiver.DisposeAsync();
            if (receiver.Unheard is { } unheard)
                Log.ClosedUnheard(Queue, unheard);
        }
        catch (Exception error)
        {
            Log.ClosingFailed(Queue, ErrorText.Of(error));
        }
    }

    private void TellIfStillReached()
    {
        if (IsReached)
            TellOfReach();
    }

    // Once for each complaint, whoever finds it first.
    private void TellOfReach()
    {
        if (Interlocked.Exchange(ref _isReachTold, 1) == 0)
            Log.Consuming(Queue);
    }

    private void TellSevered()
    {
        var epoch = Receiver.Epoch;
        foreach (var journey in InHand.All())
            journey.HeedFate();
        Volatile.Write(ref _epoch, epoch);
    }
}
