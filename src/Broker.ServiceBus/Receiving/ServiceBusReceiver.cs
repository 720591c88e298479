namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// A queue or subscription without sessions, open for receiving: by one link after another, as each comes to its end. Locks outlive the link that they came by.
/// Any thread.
/// </summary>
internal sealed class ServiceBusReceiver : IReceiver
{
    private static readonly TimeSpan s_timeToDrain = TimeSpan.FromSeconds(2);

    private readonly Dialer _dialer;
    private readonly EntityName _entity;
    private readonly ManagementNode _node;
    private readonly Handover _handover;
    private readonly Incoming _incoming;
    private readonly Renewer _renewer;
    private readonly Action<IReceiver> _onClosed;
    private readonly CancellationTokenSource _closing = new();
    private readonly TimeSpan _patience;
    private readonly Kept<Intake> _intake;
    private TimeSpan _timeToDrain = s_timeToDrain;
    private bool _isClosed;

    public ServiceBusReceiver(string queue, EntityName entity, Dialer dialer, BrokerClock clock, ServiceBusBrokerOptions options, Action<IReceiver> onClosed)
    {
        (Queue, _entity, _dialer, _patience, _onClosed) = (queue, entity, dialer, options.OperationTimeout, onClosed);
        _node = new ManagementNode(dialer, entity, options);
        var recollection = new Recollection();
        Settler = new Settler(_node, recollection, dialer.Problems, clock, dialer.Time);
        _handover = new Handover(dialer.Time, Settler.GiveBack);
        _incoming = new Incoming(entity, recollection, dialer.Problems, clock, dialer.Time);
        _renewer = new Renewer((tokens, cancel) => _node.RenewAsync(tokens, _intake!.Opened?.LivingLink, cancel), clock, dialer.Time);
        _intake = new Kept<Intake>(MendAsync, intake => intake.IsOver);
    }

    public string Queue { get; }

    // A link that has ended is opened anew for whoever asks for messages next, and who has no room for any does not: until then it is the connection that counts.
    public bool IsConnected => _intake.Opened is { } intake && (!intake.IsOver || _dialer.IsConnected);

    public string? Obstacle => _dialer.ObstacleOf(_entity);

    /// <summary>As many tokens as fit into one frame with room to spare: a thousand held messages come due in two requests.</summary>
    public int RenewalBatch => 512;

    public Settler Settler { get; }

    /// <exception cref="BrokerException">It can't be received from.</exception>
    public async ValueTask OpenAsync(CancellationToken cancel) => _intake.Keep(await OpenIntakeAsync(cancel).ConfigureAwait(false));

    public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        ThrowIfClosed();
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<int>(cancel);
        if (room.IsEmpty)
            return ValueTask.FromResult(0);
        return TakeFromLinksAsync(room, cancel);
    }

    public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        ThrowIfClosed();
        ArgumentOutOfRangeException.ThrowIfGreaterThan(due.Length, RenewalBatch, nameof(due));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(due.Length, outcomes.Length, nameof(due));
        foreach (var delivery in due.Span)
            Own(delivery);
        return _renewer.RenewAsync(due, outcomes, cancel);
    }

    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
    {
        ThrowIfClosed();
        return Settler.SettleAsync(Own(delivery), settlement, cancel);
    }

    public void LetGo(Delivery delivery)
    {
        // Its lock ends by itself, and it may be settled already: the broker is told nothing. But a link would keep its body for as long as it lives.
        if (Own(delivery).Arrival is { } arrival)
            arrival.Link.Forget(arrival.Receipt);
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isClosed, true))
            return;

        _onClosed(this);
        await _closing.CancelAsync().ConfigureAwait(false);

        // From now on none is opened: this is the one there is, or how its opening ended.
        var opening = _intake.OpenAsync();
        await ((Task)opening).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        EndWaits();
        var intake = opening.IsCompletedSuccessfully ? opening.Result : null;
        if (intake is not null)
            await intake.ShutAsync().ConfigureAwait(false);
        Array.ForEach(_handover.TakeAll(), Settler.GiveBack);
        if (intake is not null)
            await intake.CloseAsync().ConfigureAwait(false);

        // Of whoever had asked just before, and came to wait meanwhile.
        EndWaits();
        _closing.Dispose();
        await Hop.ToPool();
    }

    private void EndWaits() => _handover.Fail(WasClosed);

    private async ValueTask<int> TakeFromLinksAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        while (true)
        {
            var intake = _intake.Opened is { IsOver: false } living ? living : await _intake.OpenAsync().WaitAsync(cancel).ConfigureAwait(false);
            var given = await TakeAsync(intake, room, cancel).ConfigureAwait(false);
            if (given > 0)
                return given;
            if (!intake.EndedInPeace)
                intake.ThrowIfOver();
            cancel.ThrowIfCancellationRequested();
        }
    }

    private async ValueTask<int> TakeAsync(Intake intake, Memory<Delivery> room, CancellationToken cancel)
    {
        var wait = _handover.TakeOrWait(room, out var taken);
        if (wait is null)
        {
            intake.Watch();
            return taken;
        }

        intake.Ask();
        if (intake.IsOver && _handover.TryLeave(wait))
            wait.TrySetResult(wait.Given);
        using var callOff = cancel.UnsafeRegister((_, token) => _ = CallOffAsync(intake, wait, token), null);
        return await wait.Task.ConfigureAwait(false);
    }

    private static async Task CallOffAsync(Intake intake, Wait wait, CancellationToken cancel)
    {
        if (!await intake.TryLeaveAsync(wait).ConfigureAwait(false))
            return;

        // Only if there is nothing has nothing been taken.
        if (wait.Given > 0)
            wait.TrySetResult(wait.Given);
        else
            wait.TrySetCanceled(cancel);
    }

    private async Task<Intake> MendAsync(Intake? over)
    {
        if (over is not null)
        {
            _timeToDrain = over.NextTimeToDrain(_patience);
            await over.CloseAsync().ConfigureAwait(false);
        }

        if (Volatile.Read(ref _isClosed))
            throw WasClosed();
        try
        {
            return await OpenIntakeAsync(_closing.Token).ConfigureAwait(false);
        }
        catch (BrokerException e) when (!e.IsTransient && !Refusal.Of(e).IsOfSessions)
        {
            // Somebody may be mending it just now; but what was made anew with sessions, a start alone finds out.
            throw e.ForNow();
        }
    }

    private async ValueTask<Intake> OpenIntakeAsync(CancellationToken cancel)
    {
        var line = await _dialer.OpenAsync(cancel).ConfigureAwait(false);
        var intake = new Intake(_entity, _handover, _incoming, _dialer.Problems, Explain, _timeToDrain, _dialer.Time);
        try
        {
            // Not left to the first renewal: by then handlers may have every CPU, and what takes four round trips then takes seconds.
            await _node.OpenAsync(cancel).ConfigureAwait(false);
            await intake.OpenAsync(link => line.OpenReceiverAsync(_entity, link, TimeSpan.Zero, cancel)).ConfigureAwait(false);
            return intake;
        }
        catch (Exception problem) when (problem is not OperationCanceledException)
        {
            await intake.CloseAsync().ConfigureAwait(false);
            throw Explain(problem);
        }
    }

    private BrokerException Explain(Exception problem) => _dialer.Explain(problem, _entity);

    private ServiceBusDelivery Own(Delivery delivery) =>
        delivery is ServiceBusDelivery own && own.Entity == _entity
            ? own
            : throw new ArgumentException($"This delivery does not come from the queue {Queue}.", nameof(delivery));

    private static OperationCanceledException WasClosed() => new("The receiver was closed.");

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(Volatile.Read(ref _isClosed), this);
}
