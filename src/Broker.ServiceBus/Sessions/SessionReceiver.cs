using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// A queue or subscription with sessions, open for receiving: it holds several at once, and hands out one message of each at a time, in order.
/// A session's lock is that of all its messages. Any thread.
/// </summary>
internal sealed class SessionReceiver : IReceiver
{
    private static readonly TimeSpan s_lookEvery = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly Dialer _dialer;
    private readonly ManagementNode _node;
    private readonly Settler _settler;
    private readonly Handover _handover;
    private readonly Incoming _incoming;
    private readonly SessionPlan _plan;
    private readonly SessionSearch _search;
    private readonly SessionDoor _door;
    private readonly ITimer _look;
    private readonly Action<IReceiver> _onClosed;
    private readonly HeldSessions _held = new();
    private bool _hasWorked;
    private int _epoch;
    private volatile bool _isCalledOff;
    private volatile bool _isClosed;

    public SessionReceiver(string queue, EntityName entity, Dialer dialer, BrokerClock clock, ServiceBusBrokerOptions options, Action<IReceiver> onClosed)
    {
        (Queue, _dialer, _onClosed) = (queue, dialer, onClosed);
        _node = new ManagementNode(dialer, entity, options);
        var recollection = new Recollection();
        _settler = new Settler(_node, recollection, dialer.Problems, clock, dialer.Time);
        _handover = new Handover(dialer.Time, GiveUpWith);
        _incoming = new Incoming(entity, recollection, dialer.Problems, clock, dialer.Time);
        _plan = new SessionPlan(options.MaxSessions, options.SessionIdleTime, options.SessionId is not null);
        _search = new SessionSearch(AcceptAsync, dialer.Time);
        _door = new SessionDoor(_node, dialer, clock, options.SessionId);
        _look = dialer.Time.CreateTimer(static receiver => ((SessionReceiver)receiver!).Look(), this, s_lookEvery, s_lookEvery);
    }

    public string Queue { get; }

    public bool IsConnected => !_isClosed && _dialer.IsConnected;

    public int Epoch => Volatile.Read(ref _epoch);

    public string? Obstacle => _dialer.ObstacleOf(_node.Entity);

    /// <summary>Each session is asked for once, whatever is in hand of it; the number only bounds how many are looked at in one go.</summary>
    public int RenewalBatch => 512;

    public Problems Problems => _dialer.Problems;

    /// <exception cref="BrokerException">It can't be received from.</exception>
    public ValueTask OpenAsync(CancellationToken cancel) => _node.OpenAsync(cancel);

    public async ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        ThrowIfClosed();
        cancel.ThrowIfCancellationRequested();
        if (room.IsEmpty)
            return 0;
        _isCalledOff = false;
        if (_handover.TakeOrWait(room, out var taken) is not { } wait)
            return taken;

        // It may have been closed just now: whoever closed it looked before this came to wait.
        if (_isClosed)
            EndWaits();
        using var callOff = cancel.UnsafeRegister((_, token) => CallOff(wait, token), null);
        Plan();
        return await wait.Task.ConfigureAwait(false);
    }

    public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        ThrowIfClosed();
        ArgumentOutOfRangeException.ThrowIfGreaterThan(due.Length, outcomes.Length, nameof(due));
        foreach (var delivery in due.Span)
            Own(delivery);
        return LockRenewals.RenewAsync(
            due, outcomes, delivery => ((ServiceBusDelivery)delivery).HeldSession!, delivery => ((ServiceBusDelivery)delivery).IsOver, session => RenewAsync(session, cancel));
    }

    public async ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
    {
        ThrowIfClosed();
        var own = Own(delivery);
        if (own is { IsOver: true, Copy: null })
            return false;

        var isDone = await _settler.SettleAsync(own, settlement, cancel).ConfigureAwait(false);
        if (_held.Find(own) is { } intake)
        {
            if (!isDone || (_plan.IsTurnOver(intake.HeldFor) && !WantsMore))
                GiveUp(intake);
            else
                intake.Rest();
            Plan();
        }

        return isDone;
    }

    /// <summary>What comes behind it must not be handled before it: the session is given up, and comes again with all that it has.</summary>
    public void LetGo(Delivery delivery)
    {
        GiveUpWith(Own(delivery));
        Plan();
    }

    public async ValueTask DisposeAsync()
    {
        SessionIntake[] held;
        lock (_gate)
        {
            if (_isClosed)
                return;
            _isClosed = true;
            held = _held.TakeAll();
            _search.Dispose();
        }

        _onClosed(this);
        await _look.DisposeAsync().ConfigureAwait(false);
        EndWaits();
        _handover.TakeAll();
        await Task.WhenAll(held.Select(intake => intake.CloseAsync())).ConfigureAwait(false);
        await Hop.ToPool();
    }

    private void EndWaits() => _handover.Fail(() => new OperationCanceledException("The receiver was closed."));

    /// <summary>The broker has ended a session's link, or what came by it is not to be trusted.</summary>
    public void Lost(SessionIntake intake, Exception problem)
    {
        intake.End(problem);
        GiveUp(intake);
        if (!SessionIntake.IsTaken(problem))
        {
            Fail(problem);
            return;
        }

        _search.NoteVain(intake.TakenAt);
        Plan();
    }

    private bool WantsMore => _plan.WantsMore(_held.Count, _held.Idle, _handover.Demand);

    // Takes another session, or no longer, as there is room for what it may bring; those that are held bring more while somebody receives.
    private void Plan()
    {
        lock (_gate)
        {
            if (!_isClosed && WantsMore)
                _search.Begin();
            else
                _search.CallOff();
        }

        if (_handover.HasWaiting)
            _held.Ask();
        else if (_isCalledOff)
            GiveUpRest();
    }

    private async Task AcceptAsync(CancellationToken cancel)
    {
        // Not under the lock of whoever wants it.
        await Hop.ToPool();
        var askedAt = _dialer.Time.GetTimestamp();
        var intake = new SessionIntake(this, _handover, _incoming, _dialer.Time);
        var problem = await _door.TryOpenAsync(intake, cancel).ConfigureAwait(false);
        var isNoneFree = SessionDoor.IsNoneFree(problem, _held.Count);
        if (isNoneFree)
            _search.NoteVain(askedAt);
        bool isOurs;
        lock (_gate)
        {
            _search.End();
            isOurs = problem is null && !intake.IsOver && !_isClosed;
            if (isOurs)
                _held.Add(intake);
        }

        // That nothing is free says that we may ask.
        _hasWorked |= problem is null || isNoneFree;
        if (!isOurs)
            _ = intake.CloseAsync();

        // Called off, or nothing is free: whoever still wants one asks again.
        if (problem is null or OperationCanceledException || isNoneFree)
            Plan();
        else
            Fail(problem);
    }

    private void Look()
    {
        _handover.GiveBackUnclaimed();
        foreach (var intake in _held.All())
        {
            if (intake.IsOver)
                Remove(intake);
            else if (_plan.IsSpent(intake.IdleFor, _handover.UnaskedFor))
                _ = GiveUpIdleAsync(intake);
            else if (intake.TryKeep())
                _ = KeepAsync(intake);
        }

        Plan();
    }

    private async Task GiveUpIdleAsync(SessionIntake intake)
    {
        try
        {
            if (await intake.TryShutAsync().ConfigureAwait(false))
                GiveUp(intake);
        }
        catch (AmqpException)
        {
            Remove(intake);
        }

        Plan();
    }

    private async Task KeepAsync(SessionIntake intake)
    {
        try
        {
            await RenewAsync(intake.Session, CancellationToken.None).ConfigureAwait(false);
        }
        catch (BrokerException)
        {
            // It is tried again at the next look, while the lock lasts.
        }
        finally
        {
            intake.Kept();
        }
    }

    private async Task<Renewal> RenewAsync(HeldSession session, CancellationToken cancel)
    {
        if (await session.RenewAsync(cancel).ConfigureAwait(false))
            return Renewal.Renewed;
        if (_held.Find(session) is { } lost)
            GiveUp(lost);
        return session.Fate ?? Renewal.Lost;
    }

    private void CallOff(Wait wait, CancellationToken cancel)
    {
        if (!_handover.TryLeave(wait))
            return;
        _isCalledOff = true;
        if (wait.Given > 0)
            wait.TrySetResult(wait.Given);
        else
            wait.TrySetCanceled(cancel);
        Plan();
    }

    private void Fail(Exception cause)
    {
        var problem = _dialer.Explain(cause, _node.Entity);

        // What has worked once may work again: somebody may be mending it just now. But what was made anew without sessions, a start alone finds out.
        var told = _hasWorked && !Refusal.Of(problem).IsOfSessions ? problem.ForNow() : problem;
        _handover.Fail(told.Again);
    }

    // Whoever has called off the last receive has enough: what nobody has in hand may go on elsewhere, in its order, and uncounted.
    private void GiveUpRest()
    {
        foreach (var intake in _held.All())
        {
            if (intake.TryLeave())
                GiveUp(intake);
        }

        Array.ForEach(_handover.TakeAll(), GiveUpWith);
    }

    private void GiveUpWith(ServiceBusDelivery delivery)
    {
        if (_held.Find(delivery) is { } intake)
            GiveUp(intake);
    }

    private void GiveUp(SessionIntake intake)
    {
        Remove(intake);
        _ = intake.CloseAsync();
    }

    private void Remove(SessionIntake intake)
    {
        intake.End();
        _held.Remove(intake);
        Interlocked.Increment(ref _epoch);
    }

    private ServiceBusDelivery Own(Delivery delivery) =>
        delivery is ServiceBusDelivery { HeldSession: not null } own && own.Entity == _node.Entity
            ? own
            : throw new ArgumentException($"This delivery does not come from a session of the queue {Queue}.", nameof(delivery));

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_isClosed, this);
}
