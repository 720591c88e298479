namespace Holdfast.Amqp;

/// <summary>A link on which we receive. Any thread.</summary>
public sealed class AmqpReceiver : AmqpLink
{
    private readonly ReceiverOptions _options;
    private readonly ReceiveCredit _credit = new();
    private readonly Assembly _assembly;
    private readonly List<Pending<bool>> _draining = [];
    private uint _given;

    // Credit that is given once the drain has ended.
    private uint? _next;

    // The reader thread's own: whether what it reads just now brought something.
    private bool _isInBurst;

    internal AmqpReceiver(AmqpSession session, ReceiverOptions options)
        : base(session, options.Name, options.OnClosed)
    {
        _options = options;
        _assembly = new Assembly(options.MaxMessageSize);
        Opening = new Opening<AmqpReceiver>(Gate, this);
    }

    internal Opening<AmqpReceiver> Opening { get; }

    internal override Role Role => Role.Receiver;

    /// <summary>How many messages the peer may still send, as far as we know.</summary>
    public uint Credit
    {
        get
        {
            using (Gate.Enter())
                return _credit.Credit;
        }
    }

    /// <summary>From now on the peer may send so many messages. What it sent before it heard of that comes all the same. Tells nobody what is so already.</summary>
    public void SetCredit(uint credit)
    {
        using (Gate.Enter())
        {
            if (Stage != LinkStage.Attached)
                return;
            if (_credit.Drains)
                _next = credit;
            else if (credit != _credit.Credit)
                Give(credit);
        }
    }

    /// <summary>Takes all credit back. Completes when nothing more can come; credit that is set meanwhile is given after that.</summary>
    /// <exception cref="AmqpException">The link has ended, or does so before.</exception>
    public ValueTask DrainAsync(CancellationToken cancel)
    {
        var drained = new Pending<bool>(Gate);
        using (Gate.Enter())
            Drain(drained);
        return drained.WaitToEndAsync(cancel);
    }

    /// <summary>
    /// Tells the peer what became of a delivery, and completes with what the peer made of it: for the second settle mode.
    /// Called off, the peer has been told all the same.
    /// </summary>
    /// <exception cref="AmqpException">The link has ended, or the peer had settled the delivery already.</exception>
    public ValueTask<DeliveryState> SettleAsync(AmqpDelivery delivery, DeliveryState state, CancellationToken cancel)
    {
        var settlement = new Settlement(Gate, delivery, state);
        using (Gate.Enter())
        {
            if (WhyNotToSettle(delivery) is { } why)
            {
                settlement.Fail(why);
            }
            else
            {
                Session.Connection.Outgoing.Disposition(Session.Channel, Role.Receiver, delivery.Id, settled: false, state);
                delivery.Settlement = settlement;
            }
        }

        return settlement.WaitAsync(cancel);
    }

    /// <summary>Tells the peer what became of a delivery, and forgets it.</summary>
    /// <exception cref="AmqpException">The link has ended, or the delivery is settled already.</exception>
    public void Settle(AmqpDelivery delivery, DeliveryState state)
    {
        using (Gate.Enter())
        {
            if (WhyNotToSettle(delivery) is { } why)
                throw why;
            Session.Connection.Outgoing.Disposition(Session.Channel, Role.Receiver, delivery.Id, settled: true, state);
            Session.Arrived.Remove(delivery.Id);
            delivery.IsSettled = true;
        }
    }

    internal override Attach Ask() => new()
    {
        Name = Name,
        Handle = Handle,
        Role = Role.Receiver,
        SenderSettleMode = _options.SenderSettleMode,
        ReceiverSettleMode = _options.SettleMode,
        Source = _options.Source,
        Target = _options.Target ?? new Target(),
        MaxMessageSize = (ulong)_options.MaxMessageSize,
        DesiredCapabilities = _options.DesiredCapabilities,
        Properties = _options.Properties,
    };

    internal override void OnFlow(in Flow flow)
    {
        if (Stage != LinkStage.Attached)
            return;
        if (flow.DeliveryCount is { } count)
            TryEndDrain(count, isCertain: flow.Drain || flow.LinkCredit == 0);
        if (flow.Echo)
            Tell();
    }

    internal void OnTransfer(in Transfer transfer, ReadOnlySpan<byte> payload)
    {
        if (Stage != LinkStage.Attached)
            return;

        var delivery = _assembly.Current ?? Begin(transfer);
        if (transfer.DeliveryId is { } id && id != delivery.Id)
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, $"Delivery {id} began before delivery {delivery.Id} had ended.");
        delivery.IsSettled |= transfer.Settled == true;
        delivery.RemoteState = transfer.State ?? delivery.RemoteState;
        if (transfer.Aborted)
            _assembly.Drop();
        else if (transfer.More)
            Check(_assembly.TryAdd(payload), delivery);
        else
            Complete(delivery, _assembly.End(payload));
        Renew();
    }

    /// <summary>The peer has said something about a delivery that is not settled.</summary>
    internal static void OnDisposition(AmqpDelivery delivery, DeliveryState? state, bool isSettled)
    {
        delivery.RemoteState = state ?? delivery.RemoteState;
        if (!isSettled)
            return;
        delivery.IsSettled = true;
        delivery.Settlement?.Settled(state);
        delivery.Settlement = null;
    }

    /// <summary>On the reader thread, outside the gate.</summary>
    internal void Deliver(AmqpDelivery delivery)
    {
        if (!_isInBurst && _options.OnBurst is not null)
            Session.Connection.AwaitBurst(this);
        _isInBurst = true;
        _options.OnDelivery(delivery);
    }

    /// <summary>On the reader thread, outside the gate: everything that came together has been handed on.</summary>
    internal void EndBurst()
    {
        _isInBurst = false;
        _options.OnBurst?.Invoke();
    }

    private protected override bool IsRefused(Attach answer) => answer.Source is null;

    private protected override void OnAttached(Attach answer)
    {
        _credit.Begin(answer.InitialDeliveryCount ?? 0);
        if (_options.Credit > 0)
            Give(_options.Credit);
        Opening.Set(this);
    }

    private protected override void OnFailed(AmqpException why)
    {
        Opening.Fail(why);
        _assembly.Drop();
        foreach (var drained in _draining)
            drained.Fail(why);
        _draining.Clear();
        foreach (var delivery in Session.Arrived.Take(delivery => delivery.Receiver == this))
            delivery.Settlement?.Fail(why);
    }

    private AmqpDelivery Begin(in Transfer transfer)
    {
        if (transfer is not { DeliveryId: { } id, DeliveryTag: { } tag })
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, "A delivery began without an id or without a tag.");
        Session.OnDeliveryBegins(id);
        if (!_credit.TryReceive())
            throw new AmqpException(AmqpLevel.Link, ErrorConditions.TransferLimitExceeded, $"Delivery {id} came without credit for it.");
        var delivery = new AmqpDelivery(this, id, tag, transfer.MessageFormat ?? 0);
        _assembly.Begin(delivery);
        return delivery;
    }

    private void Complete(AmqpDelivery delivery, byte[]? payload)
    {
        Check(payload is not null, delivery);
        delivery.Payload = payload!;
        if (!delivery.IsSettled)
            Session.Arrived.Add(delivery.Id, delivery);
        Gate.Add(delivery);
    }

    private void Check(bool fits, AmqpDelivery delivery)
    {
        if (!fits)
            throw new AmqpException(AmqpLevel.Link, ErrorConditions.MessageSizeExceeded, $"Delivery {delivery.Id} is larger than the {_options.MaxMessageSize} bytes that are taken.");
    }

    private AmqpException? WhyNotToSettle(AmqpDelivery delivery) =>
        Failure is { } failure ? failure
        : delivery.Receiver != this ? throw new ArgumentException("The delivery came by another link.", nameof(delivery))
        : delivery.IsSettled ? new AmqpException(AmqpLevel.Link, ErrorConditions.IllegalState, $"Delivery {delivery.Id} is settled already.") { Error = (delivery.RemoteState as Rejected)?.Error }
        : delivery.Settlement is not null ? throw new InvalidOperationException($"Delivery {delivery.Id} is being settled.")
        : null;

    private void Drain(Pending<bool> drained)
    {
        if (Failure is { } failure)
        {
            drained.Fail(failure);
            return;
        }

        _next = _credit.Drains ? null : _next;
        _draining.Add(drained);
        if (_credit.Drains)
            return;
        _credit.Drain();
        if (_credit.IsOpen)
            Tell();
        else
            TryEndDrain(_credit.DeliveryCount, isCertain: false);
    }

    private void TryEndDrain(uint peersCount, bool isCertain)
    {
        if (!_credit.TryEndDrain(peersCount, isCertain))
            return;
        foreach (var drained in _draining)
            drained.Set(true);
        _draining.Clear();
        _given = 0;
        if (_next is > 0 and var next)
            Give(next);
        _next = null;
    }

    private void Give(uint credit)
    {
        _given = credit;
        _credit.Give(credit);
        Tell();
    }

    private void Renew()
    {
        if (_credit.Drains)
            TryEndDrain(_credit.DeliveryCount, isCertain: false);
        else if (_options.RenewsCredit && _given > 0 && _credit.Credit <= _given / 2)
            Give(_given);
    }

    private void Tell() => Session.WriteFlow(new LinkFlow(Handle, _credit.DeliveryCount, _credit.Credit, _credit.Drains));
}
