using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>
/// A queue or subscription with sessions, open for receiving: it holds several at once, and hands out one message of each at a time, in order.
/// Sessions are asked for, and for their messages, only while somebody receives. Any thread.
/// </summary>
internal sealed class SdkSessionReceiver : IReceiver
{
    private static readonly TimeSpan s_lookEvery = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly List<SdkSession> _held = [];
    private readonly Clients _clients;
    private readonly Calls _calls;
    private readonly BrokerClock _clock;
    private readonly SdkLetter _letter;
    private readonly SdkSettler _settler;
    private readonly SessionPlan _plan;
    private readonly ServiceBusBrokerOptions _options;
    private readonly Sdk.ServiceBusClient _client;
    private readonly Action<IReceiver> _onClosed;
    private readonly ITimer _look;
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CancellationTokenSource? _enough;
    private Task<SdkSession?>? _accepting;
    private int _receiving;
    private long _askedUntil;
    private bool _isCalledOff;
    private bool _hasWorked;
    private volatile bool _isConnected;
    private volatile bool _isClosed;

    public SdkSessionReceiver(string queue, Calls calls, Clients clients, BrokerClock clock, ServiceBusBrokerOptions options, Action<IReceiver> onClosed)
    {
        (Queue, _calls, _clients, _clock, _options, _onClosed) = (queue, calls, clients, clock, options, onClosed);
        _client = clients.New();
        var recollection = new Recollection();
        _letter = new SdkLetter(calls.Entity, recollection, clock, options.TimeProvider);
        _settler = new SdkSettler(calls, recollection, clock, options.TimeProvider, _client.CreateSender(calls.Entity.Path));
        _plan = new SessionPlan(options.MaxSessions, options.SessionIdleTime, options.SessionId is not null);
        _askedUntil = options.TimeProvider.GetTimestamp();
        _look = options.TimeProvider.CreateTimer(static receiver => ((SdkSessionReceiver)receiver!).Look(), this, s_lookEvery, s_lookEvery);
    }

    public string Queue { get; }

    public bool IsConnected => _isConnected && !_isClosed;

    /// <summary>Each session is asked for once, whatever is in hand of it.</summary>
    public int RenewalBatch => 1;

    /// <exception cref="BrokerException">It can't be received from.</exception>
    public async Task OpenAsync(CancellationToken cancel)
    {
        var receiver = _client.CreateReceiver(_calls.Entity.Path, new Sdk.ServiceBusReceiverOptions());
        await _calls.AskAsync("peek-message", () => receiver.PeekMessageAsync(0, cancel), cancel).ConfigureAwait(false);
        _isConnected = true;
    }

    public async ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        ThrowIfClosed();
        cancel.ThrowIfCancellationRequested();
        if (room.IsEmpty)
            return 0;

        lock (_gate)
            (_receiving, _isCalledOff) = (_receiving + 1, false);
        try
        {
            return await TakeAsync(room, cancel).ConfigureAwait(false);
        }
        finally
        {
            lock (_gate)
                (_receiving, _askedUntil) = (_receiving - 1, _options.TimeProvider.GetTimestamp());
        }
    }

    public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        ThrowIfClosed();
        return LockRenewals.RenewAsync(due, outcomes, delivery => SessionOf(Own(delivery)), delivery => ((SdkDelivery)delivery).IsOver, session => RenewAsync(session, cancel));
    }

    public async ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
    {
        ThrowIfClosed();
        var own = Own(delivery);
        var session = SessionOf(own);
        if (!IsHeld(session))
            return false;

        var isDone = await _settler.SettleAsync(session.Receiver, own, settlement, cancel).ConfigureAwait(false);
        lock (_gate)
        {
            if (!isDone || (session.Current == own && (_isCalledOff || IsTurnOver(session))))
                GiveUp(session);
            else if (session.Current == own)
                session.Rest();
        }

        Wake();
        return isDone;
    }

    /// <summary>What comes behind it must not be handled before it: the session is given up, and comes again with all that it has.</summary>
    public void LetGo(Delivery delivery)
    {
        var own = Own(delivery);
        if (SessionOf(own).Current != own)
            return;
        GiveUp(SessionOf(own));
        Wake();
    }

    public async ValueTask DisposeAsync()
    {
        SdkSession[] held;
        Task<SdkSession?>? accepting;
        lock (_gate)
        {
            if (_isClosed)
                return;
            _isClosed = true;
            (held, accepting) = ([.. _held], _accepting);
            _held.Clear();
            _enough?.Cancel();
            _changed.TrySetResult();
        }

        _onClosed(this);
        await _look.DisposeAsync().ConfigureAwait(false);
        await Task.WhenAll(held.Select(session => session.CloseAsync().AsTask())).ConfigureAwait(false);
        if (accepting is not null)
        {
            await ((Task)accepting).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (accepting is { IsCompletedSuccessfully: true, Result: { } late })
                await late.CloseAsync().ConfigureAwait(false);
        }

        await _client.DisposeAsync().ConfigureAwait(false);
    }

    private async ValueTask<int> TakeAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        using var callOff = cancel.UnsafeRegister(static receiver => ((SdkSessionReceiver)receiver!).Wake(), this);
        while (true)
        {
            Task[] waits;
            lock (_gate)
            {
                // Made anew before anything is looked at, so that no change is missed.
                if (_changed.Task.IsCompleted)
                    _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
                if (cancel.IsCancellationRequested)
                {
                    _isCalledOff = _receiving == 1;
                    LeaveRest();
                }

                cancel.ThrowIfCancellationRequested();
                if (_isClosed)
                    throw new OperationCanceledException("The receiver was closed.");
                var count = Take(room.Span);
                waits = Plan(room.Length - count);
                if (count > 0)
                    return count;
            }

            await Task.WhenAny(waits).ConfigureAwait(false);
        }
    }

    // One may wait for its place, where no other is looked for beside it.
    private bool IsTurnOver(SdkSession session) => _plan.IsTurnOver(session.HeldFor) && _accepting is not { IsCompleted: false };

    // Whoever calls off a receive has enough: what nobody has in hand may go on elsewhere. Under the gate.
    private void LeaveRest()
    {
        _enough?.Cancel();
        if (_accepting is { IsCompletedSuccessfully: true, Result: { } late })
        {
            _accepting = null;
            _held.Add(late);
        }

        foreach (var session in _held.Where(session => session.Current is null).ToArray())
            GiveUp(session);
    }

    // While nobody receives, nobody else looks at what is held.
    private void Look()
    {
        lock (_gate)
        {
            if (_receiving == 0 && !_isClosed && _options.TimeProvider.GetElapsedTime(_askedUntil) >= Handover.LongestWait)
                LeaveRest();
        }
    }

    // What has come since the last look. Under the gate.
    private int Take(Span<Delivery> room)
    {
        Exception? problem = null;
        if (_accepting is { IsCompleted: true } accepted)
        {
            _accepting = null;
            problem = ProblemOf(accepted);
            if (problem is null && accepted.Result is { } session)
                _held.Add(session);
        }

        var count = 0;
        foreach (var session in _held.ToArray())
        {
            // One that has waited for room until its lock is nearly over goes back with its session, below: nobody has renewed that meanwhile.
            if (session.Next is { IsCompletedSuccessfully: true, Result: { } delivery } && !SessionPlan.IsDue(session.PartPassed))
            {
                if (count < room.Length)
                    (room[count++], session.Current, session.Next) = (delivery, delivery, null);
                continue;
            }

            if (session.Next is { IsCompleted: true } next)
            {
                session.Next = null;
                if (ProblemOf(next) is { } failure)
                {
                    problem = Calls.IsLost(failure) ? problem : failure;
                    GiveUp(session);
                }
            }

            // Nobody renews a session that has nothing in hand: it is taken anew when it has.
            if (session.Current is null && (_plan.IsSpent(session.IdleFor, unasked: TimeSpan.Zero) || SessionPlan.IsDue(session.PartPassed)))
                GiveUp(session);
        }

        _isConnected = problem is null;
        _hasWorked |= _held.Count > 0;
        if (problem is null)
            return count;
        var told = Told(problem);
        return count > 0 ? count : throw told;
    }

    // Asks for what there is room for, and for no more. Under the gate.
    private Task[] Plan(int room)
    {
        var idle = _held.Where(session => session.Current is null).ToArray();
        List<Task> waits = [_changed.Task, .. idle.Take(room).Select(session => session.AskNext(_letter, _settler))];
        if (!_plan.WantsMore(_held.Count, idle.Length, room))
            _enough?.Cancel();
        else
            waits.Add(_accepting ??= SdkSession.AcceptAsync(_clients, _calls, _clock, _options, (_enough = new CancellationTokenSource()).Token));
        return [.. waits];
    }

    private async Task<Renewal> RenewAsync(SdkSession session, CancellationToken cancel)
    {
        if (IsHeld(session) && await session.RenewAsync(cancel).ConfigureAwait(false))
            return Renewal.Renewed;
        GiveUp(session);
        return Renewal.Lost;
    }

    private BrokerException Told(Exception problem)
    {
        var told = _calls.Told(problem);

        // What has worked once may work again: somebody may be mending it just now.
        return _hasWorked ? told.ForNow() : told;
    }

    private void Wake()
    {
        lock (_gate)
            _changed.TrySetResult();
    }

    private bool IsHeld(SdkSession session)
    {
        lock (_gate)
            return _held.Contains(session);
    }

    private void GiveUp(SdkSession session)
    {
        lock (_gate)
        {
            if (_held.Remove(session))
                _ = session.CloseAsync().AsTask();
        }
    }

    private SdkDelivery Own(Delivery delivery) =>
        delivery is SdkDelivery { Session: not null } own && own.Entity == _calls.Entity
            ? own
            : throw new ArgumentException($"This delivery does not come from a session of the queue {Queue}.", nameof(delivery));

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_isClosed, this);

    private static SdkSession SessionOf(SdkDelivery delivery) => (SdkSession)delivery.Session!;

    private static Exception? ProblemOf(Task task) => task.IsCanceled ? new TaskCanceledException(task) : task.Exception?.InnerException;
}
