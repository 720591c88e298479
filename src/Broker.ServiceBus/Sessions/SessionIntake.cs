using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// One session's link, from its acceptance to its loss or return: it brings one message at a time, the next when the last one is settled and somebody asks.
/// Any thread; messages come in on the connection's reader thread.
/// </summary>
internal sealed class SessionIntake(SessionReceiver receiver, Handover handover, Incoming incoming, TimeProvider time)
{
    private const string Filter = "com.microsoft:session-filter";
    private const string LockedUntil = "com.microsoft:locked-until-utc";
    private const string Patience = "com.microsoft:timeout";

    // Nothing of it is in hand; the broker may send the next one; that has come; it was given up, and whatever still comes goes back with it.
    private const int Resting = 0;
    private const int Asked = 1;
    private const int Busy = 2;
    private const int Left = 3;

    private static readonly TimeSpan s_timeToDrain = TimeSpan.FromSeconds(2);

    private AmqpReceiver? _link;
    private HeldSession? _session;
    private ServiceBusDelivery? _current;
    private long _idleSince;
    private int _stage;
    private int _isBeingKept;

    public HeldSession Session => _session!;

    public bool IsOver => _session is { IsOver: true } || _link is { Failure: not null };

    /// <summary>When the broker gave us the session; before that, when it was asked for.</summary>
    public long TakenAt { get; private set; } = time.GetTimestamp();

    public TimeSpan HeldFor => time.GetElapsedTime(TakenAt);

    /// <summary>Whether nothing of it is in hand, or on its way to a hand.</summary>
    public bool IsIdle => Volatile.Read(ref _stage) != Busy;

    public TimeSpan IdleFor => IsIdle ? time.GetElapsedTime(Volatile.Read(ref _idleSince)) : TimeSpan.Zero;

    /// <summary>Waits for the broker to give us the session of that name, or any that has messages and no holder.</summary>
    /// <exception cref="AmqpException">The broker refuses it, has none in time, or the connection has ended.</exception>
    public async ValueTask OpenAsync(Func<ReceiverOptions, ValueTask<AmqpReceiver>> open, ManagementNode node, BrokerClock clock, string? name, TimeSpan patience)
    {
        _link = await open(new()
        {
            Source = new Source { Address = node.Entity.Path, Filter = new() { [Filter] = name } },
            SettleMode = ReceiverSettleMode.Second,
            SenderSettleMode = SenderSettleMode.Unsettled,
            Properties = new() { [Patience] = (uint)patience.TotalMilliseconds },
            OnDelivery = OnDelivery,
            OnBurst = handover.HandOver,
            OnClosed = problem => receiver.Lost(this, problem),
        }).ConfigureAwait(false);

        if (_link.RemoteSource?.Filter?.GetValueOrDefault(Filter) is not string id || _link.RemoteProperties?.GetValueOrDefault(LockedUntil) is not long ticks || ticks < 0 || ticks > DateTime.MaxValue.Ticks)
            throw receiver.Problems.Nonsense(node.Entity, "a session without a name, or without a lock");
        _session = new HeldSession(id, _link.Name, node, time, clock);

        // Not from when it was asked for: the broker may have kept us waiting for long before it gave us the lock.
        var now = time.GetTimestamp();
        _session.Locked(now, new DateTimeOffset(ticks, TimeSpan.Zero));
        (TakenAt, _idleSince) = (now, now);
    }

    /// <summary>Whether it ended because the broker has taken the session back.</summary>
    public static bool IsTaken(Exception problem) => problem is AmqpException { Condition.Value: Conditions.SessionLockLost };

    /// <summary>Nothing of it is in hand any more.</summary>
    public void Rest()
    {
        Volatile.Write(ref _idleSince, time.GetTimestamp());
        Volatile.Write(ref _current, null);
        Volatile.Write(ref _stage, Resting);
    }

    /// <summary>The broker may send the next one, if nothing of it is in hand: once, for what it sends may be here before that shows.</summary>
    public void Ask()
    {
        if (!TryMove(Resting, Asked))
            return;
        Volatile.Write(ref _idleSince, time.GetTimestamp());
        _link!.SetCredit(1);
    }

    /// <summary>It is to be given up. False where something of it is in hand.</summary>
    public bool TryLeave() => TryMove(Resting, Left) || TryMove(Asked, Left);

    /// <summary>Whether somebody has to renew its lock who has no lease on it: one request at a time.</summary>
    public bool TryKeep() => SessionPlan.IsDue(Session.PartPassed) && Interlocked.Exchange(ref _isBeingKept, 1) == 0;

    /// <summary>That request has come to its end.</summary>
    public void Kept() => Volatile.Write(ref _isBeingKept, 0);

    /// <summary>Whether that is the message that it waits for.</summary>
    public bool IsHeldUpBy(ServiceBusDelivery delivery) => Volatile.Read(ref _current) == delivery;

    /// <summary>Takes back its credit, and then it is to be given up. False where a message came all the same.</summary>
    public async ValueTask<bool> TryShutAsync()
    {
        using var enough = new CancellationTokenSource(s_timeToDrain, time);
        try
        {
            await _link!.DrainAsync(enough.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // It does not answer; what it still sends goes back to it with the session.
        }

        return TryLeave();
    }

    /// <summary>The session is ours no more, if it ever was: the broker may take it back before we know that we had it.</summary>
    /// <param name="problem">What ended its link, where that was not us.</param>
    public void End(Exception? problem = null)
    {
        var cause = problem ?? _link?.Failure;
        _session?.End(cause is null || IsTaken(cause) ? Renewal.Lost : Renewal.Severed);
    }

    /// <summary>Gives the session back.</summary>
    public async Task CloseAsync()
    {
        End();
        if (_link is { } link)
            await link.Session.LeaveAsync(time, link).ConfigureAwait(false);
    }

    private void OnDelivery(AmqpDelivery receipt)
    {
        if (!TryMove(Asked, Busy))
            return;
        try
        {
            var delivery = incoming.Read(receipt, Session);
            Volatile.Write(ref _current, delivery);
            handover.Add(delivery);
        }
        catch (BrokerException problem)
        {
            // Closed by that, unsettled: whatever it was stays the broker's.
            receiver.Lost(this, problem);
        }
    }

    private bool TryMove(int from, int to) => Interlocked.CompareExchange(ref _stage, to, from) == from;
}
