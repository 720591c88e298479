namespace Holdfast.Broker.RabbitMq;

/// <summary>One queue, open for receiving on a connection of its own: on one channel after another, as each comes to its end. Any thread.</summary>
internal sealed class RabbitMqReceiver(RabbitMqBroker broker, string queue, bool inOrder, Link link) : IReceiver
{
    private const string NotFitToWait = "not_fit_to_wait";

    private readonly Lock _gate = new();
    private readonly DroughtPatience _patience = new();
    private readonly ShortLives _shortLives = new(broker.Time);
    private readonly CancellationTokenSource _closing = new();
    private Task<Intake>? _opening;
    private volatile Intake? _intake;
    private volatile bool _isClosed;
    private int _opened;

    public string Queue { get; } = queue;

    public bool IsConnected => _intake is { IsOver: false, IsUnanswered: false, IsOnTrial: false };

    // It grows where a channel ends, and again where the next one is open; and where a message comes again, for then an earlier delivery of it may not be ours any more.
    public int Epoch => (2 * Volatile.Read(ref _opened)) + (_intake is { IsOver: true } ? 1 : 0) + (_intake?.Recollection.Repeats ?? 0);

    public string? Unheard => _isClosed && _intake is { Unheard: > 0 and var settled } ? broker.Unheard(settled) : null;

    public string? Obstacle => broker.Outbox.Obstacle is { } obstacle ? Problems.HoldsUp(obstacle) : null;

    /// <summary>One sign of life renews them all; the number only bounds how many are looked at in one go.</summary>
    public int RenewalBatch => 1024;

    /// <exception cref="BrokerException">The queue can't be consumed.</exception>
    /// <exception cref="ObjectDisposedException">It was closed meanwhile.</exception>
    public async Task OpenAsync(CancellationToken cancel)
    {
        var intake = await broker.OpenIntakeAsync(link, Queue, inOrder, _patience, _shortLives, hasWorked: _intake is { HasWorked: true }, cancel).ConfigureAwait(false);
        intake.IsOnTrial = _intake is not null;
        lock (_gate)
        {
            if (!_isClosed)
            {
                _intake = intake;
                _opened++;
                return;
            }
        }

        await intake.CloseAsync().ConfigureAwait(false);
        ThrowIfClosed();
    }

    public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        ThrowIfClosed();
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<int>(cancel);
        if (room.IsEmpty)
            return ValueTask.FromResult(0);
        return _intake is { IsOver: false } intake ? intake.ReceiveAsync(room, cancel) : MendAndReceiveAsync(room, cancel);
    }

    public async ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        ThrowIfClosed();
        ArgumentOutOfRangeException.ThrowIfGreaterThan(due.Length, outcomes.Length, nameof(due));
        outcomes.Span[..due.Length].Clear();

        Intake? asked = null;
        for (var i = 0; i < due.Length; i++)
        {
            var delivery = Own(due.Span[i]);
            if (delivery.IsHeldMeanwhile && !delivery.Intake.IsOver && delivery.Intake != asked)
            {
                asked = delivery.Intake;
                await SignOfLifeAsync(asked, cancel).ConfigureAwait(false);
            }
        }

        for (var i = 0; i < due.Length; i++)
            outcomes.Span[i] = StandingOf(Own(due.Span[i]));
    }

    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
    {
        ThrowIfClosed();
        var own = Own(delivery);
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<bool>(cancel);
        if (own.Fate is not null || !(IsSentOn(settlement) ? own.TryBeginSendingOn() : own.TryEnd()))
            return ValueTask.FromResult(false);
        if (settlement.Kind != SettlementKind.Complete)
            return SendBackOrOnAsync(own, settlement, cancel);

        own.Intake.Acknowledge(own);
        return ValueTask.FromResult(true);
    }

    public void LetGo(Delivery delivery)
    {
        var own = Own(delivery);
        own.Intake.LetGo(own);
    }

    public async ValueTask DisposeAsync()
    {
        Task? opening;
        lock (_gate)
        {
            if (_isClosed)
                return;
            _isClosed = true;
            opening = _opening;
        }

        broker.Forget(this);
        await _closing.CancelAsync().ConfigureAwait(false);
        if (opening is not null)
            await opening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (_intake is { } intake)
            await intake.CloseAsync().ConfigureAwait(false);
        await link.DisposeAsync().ConfigureAwait(false);
    }

    private async ValueTask<int> MendAndReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        Task<Intake> opening;
        lock (_gate)
        {
            ThrowIfClosed();
            if (_opening is null or { IsCompleted: true })
                _opening = MendAsync();
            opening = _opening;
        }

        var intake = await opening.WaitAsync(cancel).ConfigureAwait(false);
        return await intake.ReceiveAsync(room, cancel).ConfigureAwait(false);
    }

    private async Task<Intake> MendAsync()
    {
        try
        {
            if (_intake is { IsOver: false } intake)
                return intake;
            if (_intake is { } over)
                await over.CloseAsync().ConfigureAwait(false);
            await Task.Delay(_shortLives.Left, broker.Time, _closing.Token).ConfigureAwait(false);
            await OpenAsync(_closing.Token).ConfigureAwait(false);
            return _intake!;
        }
        catch (BrokerException e) when (!e.IsTransient)
        {
            throw e.ForNow();
        }
    }

    private async ValueTask<bool> SendBackOrOnAsync(RabbitMqDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        try
        {
            await (settlement.Kind switch
            {
                SettlementKind.Abandon => delivery.Intake.GiveBackAsync(delivery, cancel),
                SettlementKind.DeadLetter => PutAsideAsync(delivery, settlement, cancel),
                _ when IsKeptBackByItself(settlement) => delivery.Intake.RejectAsync(delivery, cancel),
                _ => DelayAsync(delivery, settlement, cancel),
            }).ConfigureAwait(false);
            return true;
        }
        catch (Exception e)
        {
            delivery.Intake.HoldOn(delivery);
            if (delivery.Intake.IsOver)
                return false;

            // Whatever refuses it may take it before the lease ends: to give up would have it handled again, at once and without end.
            if (e is BrokerException { IsTransient: false } refused)
                throw refused.ForNow();
            if (e is BrokerException or OperationCanceledException)
                throw;
            throw broker.Explain(e, Queue);
        }
    }

    private bool IsSentOn(Settlement settlement) => settlement.Kind switch
    {
        SettlementKind.DeadLetter => true,
        SettlementKind.Delay => !IsKeptBackByItself(settlement),
        _ => false,
    };

    // The server knows one length of wait, which the queue was declared with.
    private bool IsKeptBackByItself(Settlement settlement) =>
        broker.Options.DelayedRetry == DelayedRetry.Native ? settlement.IsRetry : settlement.Wait <= TimeSpan.Zero;

    private async Task DelayAsync(RabbitMqDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        var envelope = Envelope.ToWait(delivery, settlement);
        try
        {
            await SendOnAsync(
                delivery,
                settlement.Kind,
                left => broker.Outbox.SendLaterAsync(Queue, settlement.Wait, envelope, delivery.Message.Body, Timeout.InfiniteTimeSpan, cancel, left),
                cancel).ConfigureAwait(false);
        }
        catch (BrokerException problem) when (problem.InnerException is UnfitException unfit)
        {
            // It would never be fit to wait. What a person will look at may be cut; what a handler is to see again may not, for it may hang on what is missing.
            await PutAsideAsync(delivery, Settlement.DeadLetter(NotFitToWait, unfit.Message).With(settlement.Properties), cancel).ConfigureAwait(false);
        }
    }

    private Task PutAsideAsync(RabbitMqDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        var envelope = Envelope.ToPutAside(delivery, settlement, broker.Options.TimeProvider.GetUtcNow());
        return SendOnAsync(
            delivery,
            settlement.Kind,
            left => broker.Outbox.SendAsync(QueueArguments.DeadLetterQueueOf(Queue), envelope, delivery.Message.Body, Timeout.InfiniteTimeSpan, cancel, left),
            cancel);
    }

    // The server has the copy before it may forget the original. If it does not hear of the second, it hands the original out again:
    // that is known then as one that is settled. The copy is waited for as long as the lease lasts, and on from there when the original comes again:
    // to send it anew each time would leave as many copies as there were tries, once a queue that hangs goes on.
    private static async Task SendOnAsync(RabbitMqDelivery delivery, SettlementKind end, Func<Action<Task>, ValueTask> send, CancellationToken cancel)
    {
        var recollection = delivery.Intake.Recollection;
        var copy = delivery is { IsNamed: true, IsRedelivered: true } ? recollection.CopyOf(delivery.Key, end) : null;
        if (copy is null || !await HasArrivedAsync(copy, cancel).ConfigureAwait(false))
        {
            copy = null;
            try
            {
                await send(left => copy = left).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (copy is not null && delivery.IsNamed)
            {
                recollection.NoteUnderWay(delivery.Key, end, copy);
                throw;
            }
        }

        delivery.EndSentOn();
        delivery.Intake.Acknowledge(delivery);
    }

    private static async Task<bool> HasArrivedAsync(Task copy, CancellationToken cancel)
    {
        await copy.WaitAsync(cancel).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        cancel.ThrowIfCancellationRequested();
        return copy.IsCompletedSuccessfully;
    }

    private static Renewal StandingOf(RabbitMqDelivery delivery) =>
        delivery.Fate is { } fate ? fate
        : delivery.IsHeldMeanwhile ? Renewal.Renewed
        : Renewal.Lost;

    private static async Task SignOfLifeAsync(Intake intake, CancellationToken cancel)
    {
        try
        {
            await intake.BeatAsync().WaitAsync(cancel).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            // It has ended the intake: that tells what became of its leases.
        }
    }

    private RabbitMqDelivery Own(Delivery delivery) =>
        delivery is RabbitMqDelivery own && own.Intake.Queue == Queue
            ? own
            : throw new ArgumentException($"This delivery does not come from the queue {Queue}.", nameof(delivery));

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_isClosed, this);
}
