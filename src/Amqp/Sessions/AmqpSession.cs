namespace Holdfast.Amqp;

/// <summary>A session: links that share a window and an order. Any thread; what is internal, behind the gate.</summary>
public sealed class AmqpSession
{
    private readonly SessionOptions _options;
    private readonly LinkTable _links;
    private readonly Ending _end;
    private AmqpException? _failure;
    private uint _handleMax;
    private bool _isAbandoned;

    internal AmqpSession(AmqpConnection connection, SessionOptions options)
    {
        (Connection, _options) = (connection, options);
        _links = new LinkTable(options.HandleMax);
        Windows = new SessionWindows(options.IncomingWindow);
        Unsettled = new Unsettled(this);
        Opening = new SessionOpening(connection.Gate, this);
        _end = new Ending(connection.Gate);
    }

    public AmqpConnection Connection { get; }

    /// <summary>Why it ended; null while it lives.</summary>
    public AmqpException? Failure => Volatile.Read(ref _failure);

    internal SessionOpening Opening { get; }

    internal SessionStage Stage { get; private set; }

    internal ushort Channel { get; private set; }

    internal SessionWindows Windows { get; }

    internal Unsettled Unsettled { get; }

    private Gate Gate => Connection.Gate;

    /// <exception cref="AmqpException">The peer refused the link, or session or connection have ended.</exception>
    public ValueTask<AmqpSender> OpenSenderAsync(SenderOptions options, CancellationToken cancel)
    {
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<AmqpSender>(cancel);

        var sender = new AmqpSender(this, options);
        using (Gate.Enter())
            Attach(sender);
        return sender.Opening.WaitAsync(cancel);
    }

    /// <exception cref="AmqpException">The peer refused the link, or session or connection have ended.</exception>
    public ValueTask<AmqpReceiver> OpenReceiverAsync(ReceiverOptions options, CancellationToken cancel)
    {
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<AmqpReceiver>(cancel);

        var receiver = new AmqpReceiver(this, options);
        using (Gate.Enter())
            Attach(receiver);
        return receiver.Opening.WaitAsync(cancel);
    }

    /// <summary>Ends the session and all its links, and waits for the peer's answer. Never throws but for the token.</summary>
    public ValueTask CloseAsync(CancellationToken cancel)
    {
        Pending<bool> end;
        using (Gate.Enter())
        {
            if (Stage == SessionStage.Active)
                Leave(null, new AmqpException(AmqpLevel.Session, null, "The session was closed."), tells: false);
            end = _end.Await();
        }

        return end.WaitToEndAsync(cancel);
    }

    internal void Begin(ushort channel)
    {
        Channel = channel;
        using (Connection.Outgoing.Begin(Channel, out var writer))
            new Begin
            {
                NextOutgoingId = Windows.NextOutgoingId,
                IncomingWindow = Windows.IncomingWindow,
                OutgoingWindow = SessionWindows.Outgoing,
                HandleMax = _options.HandleMax,
            }.Encode(writer);
    }

    internal void OnBegin(Begin begin)
    {
        Windows.OnBegin(begin.NextOutgoingId, begin.IncomingWindow);
        (Stage, _handleMax) = (SessionStage.Active, Math.Min(begin.HandleMax, _options.HandleMax));
        if (_isAbandoned)
            Leave(null, new AmqpException(AmqpLevel.Session, null, "The session was called off."), tells: false);
        else
            Opening.Set(this);
    }

    internal void OnEnd(End end)
    {
        if (Stage == SessionStage.Active)
            Write(new End());
        End(AmqpException.FromPeer(AmqpLevel.Session, end.Error), tells: true);
    }

    /// <summary>Any frame but those that begin or end a session.</summary>
    internal void OnFrame(ulong performative, ref AmqpReader reader)
    {
        if (Stage != SessionStage.Active)
            return;
        try
        {
            Take(performative, ref reader);
        }
        catch (AmqpException problem) when (problem.Level == AmqpLevel.Session)
        {
            Leave(problem.ToError(), problem, tells: true);
        }
    }

    /// <summary>The peer need not hear of it, or has told us.</summary>
    internal void End(AmqpException why, bool tells)
    {
        Fail(why, tells);
        Stage = SessionStage.Ended;
        _end.Come();
    }

    /// <summary>Nobody waits for the peer's answer any more; when it comes, the session is ended.</summary>
    internal void Abandon() => _isAbandoned = true;

    internal void Write(Detach detach)
    {
        using (Connection.Outgoing.Begin(Channel, out var writer))
            detach.Encode(writer);
    }

    /// <summary>As much of a message as fits into one frame; how much that was.</summary>
    internal int Write(in Transfer transfer, ReadOnlySpan<byte> payload)
    {
        Windows.Sent();
        return Connection.Outgoing.Transfer(Channel, transfer, payload);
    }

    /// <summary>Where we stand; with a link's credit, or without; and whether the peer is to say where it stands.</summary>
    internal void WriteFlow(LinkFlow? link = null, bool echo = false)
    {
        Windows.Renew();
        using (Connection.Outgoing.Begin(Channel, out var writer))
            new Flow
            {
                NextIncomingId = Windows.NextIncomingId,
                IncomingWindow = Windows.IncomingWindow,
                NextOutgoingId = Windows.NextOutgoingId,
                OutgoingWindow = SessionWindows.Outgoing,
                Handle = link?.Handle,
                DeliveryCount = link?.DeliveryCount,
                LinkCredit = link?.Credit,
                Drain = link?.Drains ?? false,
                Echo = echo,
            }.Encode(writer);
    }

    private void Write(End end)
    {
        using (Connection.Outgoing.Begin(Channel, out var writer))
            end.Encode(writer);
    }

    private void Attach(AmqpLink link)
    {
        if ((_failure ?? _links.TryAdd(link, _handleMax)) is { } why)
        {
            link.End(why, tells: false);
            return;
        }

        try
        {
            using (Connection.Outgoing.Begin(Channel, out var writer))
                link.Ask().Encode(writer);
        }
        catch (AmqpException tooLarge)
        {
            _links.Remove(link);
            link.End(tooLarge, tells: false);
        }
        catch (Exception)
        {
            _links.Remove(link);
            throw;
        }
    }

    private void Take(ulong performative, ref AmqpReader reader)
    {
        switch (performative)
        {
            case Descriptor.Transfer:
                var transfer = Transfer.Decode(ref reader);
                OnTransfer(transfer, reader.Rest);
                break;
            case Descriptor.Disposition:
                Unsettled.OnDisposition(Disposition.Decode(ref reader));
                break;
            case Descriptor.Flow:
                OnFlow(Flow.Decode(ref reader));
                break;
            case Descriptor.Attach:
                var attach = Amqp.Attach.Decode(ref reader);
                _links.Attach(attach).OnAttach(attach);
                break;
            case Descriptor.Detach:
                var detach = Detach.Decode(ref reader);
                _links.Detach(detach.Handle).OnDetach(detach);
                break;
            default:
                throw new AmqpException(AmqpLevel.Connection, ErrorConditions.NotAllowed, $"The peer sent something with the descriptor {performative:x2} within a session.");
        }
    }

    private void OnFlow(in Flow flow)
    {
        if (!Windows.TryTakeFlow(flow.NextIncomingId, flow.IncomingWindow))
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, $"The peer expects transfer {flow.NextIncomingId}, and {Windows.NextOutgoingId} is the next.");
        if (flow.Handle is { } handle)
            _links.Get(handle).OnFlow(flow);
        else if (flow.Echo)
            WriteFlow();
        foreach (var link in _links.All)
            (link as AmqpSender)?.OnWindow();
    }

    private void OnTransfer(in Transfer transfer, ReadOnlySpan<byte> payload)
    {
        if (!Windows.TryReceive())
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.WindowViolation, "The peer sent more transfer frames than the window allows.");
        if (_links.Get(transfer.Handle) is not AmqpReceiver receiver)
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.NotAllowed, "The peer sent a message on a link on which we send.");
        try
        {
            receiver.OnTransfer(transfer, payload);
        }
        catch (AmqpException problem) when (problem.Level == AmqpLevel.Link)
        {
            receiver.Detach(problem.ToError(), problem, tells: true);
        }

        if (Windows.ShouldRenew)
            WriteFlow();
    }

    // Ends it from our side.
    private void Leave(AmqpError? error, AmqpException why, bool tells)
    {
        Write(new End(error));
        Fail(why, tells);
        Stage = SessionStage.Ending;
    }

    private void Fail(AmqpException why, bool tells)
    {
        if (_failure is not null)
            return;
        Volatile.Write(ref _failure, why);
        Opening.Fail(why);
        foreach (var link in _links.All)
            link.End(why, tells);
        if (tells && Stage == SessionStage.Active && _options.OnClosed is { } told)
            Gate.Add(new Told(told, why));
    }
}
