namespace Holdfast.Amqp;

/// <summary>A link on which we receive. Any thread.</summary>
public sealed class AmqpReceiver : AmqpLink
{
    private readonly ReceiverOptions _options;
    private readonly ReceiverFlow _flow;
    private readonly Assembly _assembly;

    // The reader thread's own: whether what it reads just now brought something.
    private bool _isInBurst;

    internal AmqpReceiver(AmqpSession session, ReceiverOptions options)
        : base(session, options.Name, options.OnClosed)
    {
        _options = options;
        _flow = new ReceiverFlow(this, options.RenewsCredit);
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
                return _flow.Credit;
        }
    }

    /// <summary>From now on the peer may send so many messages. What it sent before it heard of that comes all the same. Tells nobody what is so already.</summary>
    public void SetCredit(uint credit)
    {
        using (Gate.Enter())
        {
            if (Stage == LinkStage.Attached)
                _flow.Set(credit);
        }
    }

    /// <summary>Takes all credit back. Completes when nothing more can come; credit that is set meanwhile is given after that.</summary>
    /// <exception cref="AmqpException">The link has ended, or does so before.</exception>
    public ValueTask DrainAsync(CancellationToken cancel)
    {
        var drained = new Pending<bool>(Gate);
        using (Gate.Enter())
        {
            if (Failure is { } failure)
                drained.Fail(failure);
            else
                _flow.Drain(drained);
        }

        return drained.WaitToEndAsync(cancel);
    }

    /// <summary>
    /// Tells the peer what became of a delivery, and completes with what the peer made of it: for the second settle mode.
    /// Called off, the peer has been told all the same.
    /// </summary>
    /// <exception cref="AmqpException">The link has ended, or the peer had settled the delivery already.</exception>
    public ValueTask<DeliveryState> SettleAsync(AmqpDelivery delivery, DeliveryState state, CancellationToken cancel)
    {
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<DeliveryState>(cancel);

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
                (delivery.Settlement, delivery.IsTold) = (settlement, true);
            }
        }

        return settlement.WaitAsync(cancel);
    }

    /// <summary>Has nobody wait any longer for the peer to settle a delivery, as if each had called it off.</summary>
    public void GiveUp(AmqpDelivery delivery)
    {
        using (Gate.Enter())
            delivery.Settlement?.CallOff(CancellationToken.None);
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
            Session.Unsettled.Arrived.Remove(delivery.Id);
            delivery.IsSettled = true;
        }
    }

    /// <summary>Leaves a delivery as it is: nothing more is told about it, and nothing of it kept, once nobody waits for it to be settled.</summary>
    public void Forget(AmqpDelivery delivery)
    {
        using (Gate.Enter())
        {
            delivery.IsForgotten = true;
            if (delivery.Settlement is null)
                Drop(delivery);
        }
    }

    /// <summary>Behind the gate: nothing of it is kept.</summary>
    internal void Drop(AmqpDelivery delivery)
    {
        Session.Unsettled.Arrived.Remove(delivery.Id);
        delivery.IsSettled = true;
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
        if (Stage == LinkStage.Attached)
            _flow.OnFlow(flow);
    }

    internal void OnTransfer(in Transfer transfer, ReadOnlySpan<byte> payload)
    {
        if (Stage != LinkStage.Attached)
        {
            if (transfer.DeliveryId is { } passing)
                Session.Unsettled.OnDeliveryPassesBy(passing);
            return;
        }

        var delivery = _assembly.Current ?? Begin(transfer);
        if (transfer.DeliveryId is { } id && id != delivery.Id)
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, $"Delivery {id} began before delivery {delivery.Id} had ended.");
        delivery.OnState(transfer.State, transfer.Settled == true);
        if (transfer.Aborted)
        {
            _assembly.Drop();
            _flow.OnAborted();
        }
        else if (transfer.More)
        {
            Check(_assembly.TryAdd(payload), delivery);
        }
        else
        {
            Complete(delivery, _assembly.End(payload));
            _flow.OnReceived();
        }
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
        _flow.Begin(answer.InitialDeliveryCount ?? 0, _options.Credit);
        Opening.Set(this);
    }

    private protected override void OnFailed(AmqpException why)
    {
        Opening.Fail(why);
        _assembly.Drop();
        _flow.Fail(why);
        foreach (var delivery in Session.Unsettled.Arrived.Take(delivery => delivery.Receiver == this))
            delivery.Settlement?.Fail(why);
    }

    private AmqpDelivery Begin(in Transfer transfer)
    {
        if (transfer is not { DeliveryId: { } id, DeliveryTag: { } tag })
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, "A delivery began without an id or without a tag.");
        Session.Unsettled.OnDeliveryBegins(id);
        if (!_flow.TryReceive())
            throw new AmqpException(AmqpLevel.Link, ErrorConditions.TransferLimitExceeded, $"Delivery {id} came without credit for it.");
        var delivery = new AmqpDelivery(this, id, tag, transfer.MessageFormat ?? 0);
        _assembly.Begin(delivery);
        return delivery;
    }

    private void Complete(AmqpDelivery delivery, byte[]? payload)
    {
        Check(payload is not null, delivery);
        delivery.Payload = payload!;
        if (!delivery.IsSettled && !Session.Unsettled.Arrived.TryAdd(delivery.Id, delivery))
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, $"Delivery {delivery.Id} came while another of that number was not settled.");
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
}
