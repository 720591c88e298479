namespace Holdfast.Amqp;

/// <summary>A link on which we send. Any thread.</summary>
public sealed class AmqpSender : AmqpLink
{
    private readonly SenderOptions _options;
    private readonly SendCredit _credit = new();
    private Queue<Outbound> _backlog = new();
    private bool _awaitsRoom;

    internal AmqpSender(AmqpSession session, SenderOptions options)
        : base(session, options.Name, options.OnClosed)
    {
        _options = options;
        Opening = new Opening<AmqpSender>(Gate, this);
    }

    internal Opening<AmqpSender> Opening { get; }

    internal override Role Role => Role.Sender;

    /// <summary>
    /// Sends one encoded message, in order, once the peer's credit and window allow it. Completes with what became of it; a settled one completes when it is on its way.
    /// The payload must stay as it is until then. Called off before it began to leave, nothing is sent; on its way, the link is detached, so that the peer drops what
    /// it has; after that, nobody knows what becomes of it.
    /// </summary>
    /// <exception cref="AmqpException">The link has ended, or does so before the outcome is known.</exception>
    public ValueTask<DeliveryState> SendAsync(ReadOnlyMemory<byte> payload, uint messageFormat, bool settled, CancellationToken cancel) =>
        SendAsync(payload, messageFormat, settled, onLeft: null, cancel);

    /// <inheritdoc cref="SendAsync(ReadOnlyMemory{byte}, uint, bool, CancellationToken)"/>
    /// <param name="payload">The message.</param>
    /// <param name="messageFormat">How it is encoded.</param>
    /// <param name="settled">Whether nobody wants to know what becomes of it.</param>
    /// <param name="onLeft">Called once the whole of it is on its way, before it ends: without that call the peer can't have it. It must do no more than note that.</param>
    /// <param name="cancel">Calls it off.</param>
    public ValueTask<DeliveryState> SendAsync(ReadOnlyMemory<byte> payload, uint messageFormat, bool settled, Action? onLeft, CancellationToken cancel)
    {
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<DeliveryState>(cancel);

        var outbound = new Outbound(this, Gate, payload, messageFormat, settled, onLeft);
        using (Gate.Enter())
        {
            if (WhyNotToSend(payload.Length, settled) is { } why)
            {
                outbound.Fail(why);
            }
            else
            {
                _backlog.Enqueue(outbound);
                Pump();
            }
        }

        return outbound.WaitAsync(cancel);
    }

    internal override Attach Ask() => new()
    {
        Name = Name,
        Handle = Handle,
        Role = Role.Sender,
        SenderSettleMode = _options.SettleMode,
        ReceiverSettleMode = _options.ReceiverSettleMode,
        Source = _options.Source ?? new Source(),
        Target = _options.Target,
        InitialDeliveryCount = SendCredit.InitialCount,
        DesiredCapabilities = _options.DesiredCapabilities,
        Properties = _options.Properties,
    };

    internal override void OnFlow(in Flow flow)
    {
        if (Stage != LinkStage.Attached)
            return;
        _credit.OnFlow(flow.DeliveryCount, flow.LinkCredit, flow.Drain);
        Pump();
        if (flow.Echo && Stage == LinkStage.Attached)
            Tell();
    }

    /// <summary>Sends what credit, window and buffer allow.</summary>
    private void Pump()
    {
        while (_backlog.TryPeek(out var next))
        {
            // Nobody waits for it any more, or the peer has decided before it had all of it. Not by a frame that says so: there are peers that overlook it,
            // Azure's engine among them, and take what has come for the whole.
            if (next is { Id: not null, IsSet: true })
            {
                Detach(null, new AmqpException(AmqpLevel.Link, null, "A message was called off on its way."), tells: true);
                return;
            }

            if ((next.Id is null && _credit.Credit == 0) || !Session.Windows.CanSend)
                break;
            if (!Session.Connection.Outgoing.HasRoom)
            {
                AwaitRoom();
                return;
            }

            SendFrame(next);
        }

        if (_credit.IsOwed && (_backlog.Count == 0 || _credit.Credit == 0))
        {
            _credit.Drain();
            Tell();
        }
    }

    /// <summary>The peer's window may have opened.</summary>
    internal void OnWindow()
    {
        if (Stage == LinkStage.Attached)
            Pump();
    }

    /// <summary>The writer has taken what was gathered.</summary>
    internal void OnRoom()
    {
        _awaitsRoom = false;
        OnWindow();
    }

    internal void OnCalledOff(Outbound outbound)
    {
        // What has begun to leave is at the head, and ends the link.
        if (outbound.Id is null)
            _backlog = new Queue<Outbound>(_backlog.Where(other => other != outbound));
        else
            OnWindow();
    }

    private protected override bool IsRefused(Attach answer) => answer.Target is null;

    private protected override void OnAttached(Attach answer) => Opening.Set(this);

    private protected override void OnFailed(AmqpException why)
    {
        Opening.Fail(why);
        foreach (var outbound in _backlog)
            outbound.Fail(why);
        _backlog.Clear();
        foreach (var outbound in Session.Unsettled.Sent.Take(outbound => outbound.Sender == this))
            outbound.Fail(why);
    }

    private AmqpException? WhyNotToSend(int size, bool isSettled)
    {
        if (_options.SettleMode != SenderSettleMode.Mixed && isSettled != (_options.SettleMode == SenderSettleMode.Settled))
            throw new ArgumentException($"The link was opened to send nothing but {_options.SettleMode} messages.", nameof(isSettled));
        return Failure
            ?? ((ulong)size > MaxMessageSize ? new AmqpException(AmqpLevel.Link, ErrorConditions.MessageSizeExceeded, $"A message of {size} bytes, but the peer takes {MaxMessageSize}.") : null);
    }

    private void AwaitRoom()
    {
        if (_awaitsRoom)
            return;
        _awaitsRoom = true;
        Session.Connection.AwaitRoom(this);
    }

    private void SendFrame(Outbound outbound)
    {
        var isFirst = outbound.Id is null;
        if (isFirst)
        {
            outbound.Begin(Session.Unsettled.NextDeliveryId());
            _credit.Sent();
            if (!outbound.IsSettled)
                Session.Unsettled.Sent.Add(outbound.Id!.Value, outbound);
        }

        var id = outbound.Id!.Value;
        var transfer = new Transfer
        {
            Handle = Handle,
            DeliveryId = id,
            DeliveryTag = isFirst ? DeliveryTag.Of(id) : null,
            MessageFormat = isFirst ? outbound.Format : null,
            Settled = isFirst ? outbound.IsSettled : null,
        };
        outbound.Advance(Session.Write(transfer, outbound.Rest));
        if (!outbound.Rest.IsEmpty)
            return;

        _backlog.Dequeue();
        outbound.Leave();
        if (outbound.IsSettled)
            outbound.Set(Accepted.Instance);
    }

    private void Tell() => Session.WriteFlow(new LinkFlow(Handle, _credit.DeliveryCount, _credit.Credit, _credit.Drains));
}
