namespace Holdfast.Amqp;

/// <summary>A session: links that share a window and an order. Any thread; what is internal, behind the gate.</summary>
public sealed class AmqpSession
{
    private readonly SessionOptions _options;
    private readonly Slots<AmqpLink> _links = new();
    private readonly Dictionary<uint, AmqpLink> _theirs = [];
    private readonly List<Pending<bool>> _closing = [];
    private AmqpException? _failure;
    private uint _handleMax;
    private uint _nextDelivery;
    private uint? _nextArrival;
    private bool _isAbandoned;

    internal AmqpSession(AmqpConnection connection, SessionOptions options)
    {
        (Connection, _options) = (connection, options);
        Windows = new SessionWindows(options.IncomingWindow);
        Opening = new SessionOpening(connection.Gate, this);
    }

    public AmqpConnection Connection { get; }

    /// <summary>Why it ended; null while it lives.</summary>
    public AmqpException? Failure => Volatile.Read(ref _failure);

    internal SessionOpening Opening { get; }

    internal SessionStage Stage { get; private set; }

    internal ushort Channel { get; private set; }

    internal SessionWindows Windows { get; }

    /// <summary>What has come, and is not settled.</summary>
    internal Deliveries<AmqpDelivery> Arrived { get; } = new();

    /// <summary>What we have sent, and is not settled.</summary>
    internal Deliveries<Outbound> Sent { get; } = new();

    private Gate Gate => Connection.Gate;

    /// <exception cref="AmqpException">The peer refused the link, or session or connection have ended.</exception>
    public ValueTask<AmqpSender> OpenSenderAsync(SenderOptions options, CancellationToken cancel)
    {
        var sender = new AmqpSender(this, options);
        using (Gate.Enter())
            Attach(sender);
        return sender.Opening.WaitAsync(cancel);
    }

    /// <exception cref="AmqpException">The peer refused the link, or session or connection have ended.</exception>
    public ValueTask<AmqpReceiver> OpenReceiverAsync(ReceiverOptions options, CancellationToken cancel)
    {
        var receiver = new AmqpReceiver(this, options);
        using (Gate.Enter())
            Attach(receiver);
        return receiver.Opening.WaitAsync(cancel);
    }

    /// <summary>Ends the session and all its links, and waits for the peer's answer. Never throws but for the token.</summary>
    public ValueTask CloseAsync(CancellationToken cancel)
    {
        var closing = new Pending<bool>(Gate);
        using (Gate.Enter())
        {
            if (Stage == SessionStage.Active)
                Leave(null, new AmqpException(AmqpLevel.Session, null, "The session was closed."), tells: false);
            if (Stage == SessionStage.Ended)
                closing.Set(true);
            else
                _closing.Add(closing);
        }

        return closing.WaitToEndAsync(cancel);
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
            Leave(new AmqpError(problem.Condition!.Value, problem.Description), problem, tells: true);
        }
    }

    /// <summary>The peer need not hear of it, or has told us.</summary>
    internal void End(AmqpException why, bool tells)
    {
        Fail(why, tells);
        Stage = SessionStage.Ended;
        foreach (var closing in _closing)
            closing.Set(true);
        _closing.Clear();
    }

    /// <summary>Nobody waits for the peer's answer any more; when it comes, the session is ended.</summary>
    internal void Abandon() => _isAbandoned = true;

    internal uint NextDeliveryId()
    {
        var id = _nextDelivery;
        _nextDelivery = Serial.Plus(id, 1);
        return id;
    }

    /// <summary>The first frame of a delivery has come.</summary>
    /// <exception cref="AmqpException">It is not its turn.</exception>
    internal void OnDeliveryBegins(uint id)
    {
        if (_nextArrival is { } next && id != next)
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, $"Delivery {id} came where {next} is next.");
        _nextArrival = Serial.Plus(id, 1);
    }

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

    /// <summary>Where we stand; with a link's credit, or without.</summary>
    internal void WriteFlow(LinkFlow? link = null)
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
            }.Encode(writer);
    }

    private void Write(End end)
    {
        using (Connection.Outgoing.Begin(Channel, out var writer))
            end.Encode(writer);
    }

    private void Attach(AmqpLink link)
    {
        if (_failure is not null)
            link.End(_failure, tells: false);
        else if (_links.Taken.Any(other => other.Name == link.Name && other.Role == link.Role))
            link.End(new AmqpException(AmqpLevel.Link, ErrorConditions.IllegalState, $"The session has a link {link.Name} already."), tells: false);
        else if (!_links.TryTake(link, _handleMax, out var handle))
            link.End(new AmqpException(AmqpLevel.Link, ErrorConditions.ResourceLimitExceeded, $"The session has no room for more than {_links.Count} links."), tells: false);
        else
            Attach(link, handle);
    }

    private void Attach(AmqpLink link, uint handle)
    {
        link.Handle = handle;
        try
        {
            using (Connection.Outgoing.Begin(Channel, out var writer))
                link.Ask().Encode(writer);
        }
        catch (AmqpException tooLarge)
        {
            _links.Free(handle);
            link.End(tooLarge, tells: false);
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
                OnDisposition(Disposition.Decode(ref reader));
                break;
            case Descriptor.Flow:
                OnFlow(Flow.Decode(ref reader));
                break;
            case Descriptor.Attach:
                OnAttach(Amqp.Attach.Decode(ref reader));
                break;
            case Descriptor.Detach:
                OnDetach(Detach.Decode(ref reader));
                break;
            default:
                throw new AmqpException(AmqpLevel.Connection, ErrorConditions.NotAllowed, $"The peer sent something with the descriptor {performative:x2} within a session.");
        }
    }

    private void OnAttach(Attach attach)
    {
        if (attach.Handle > _options.HandleMax)
            throw new AmqpException(AmqpLevel.Connection, ErrorConditions.FramingError, $"The peer took the handle {attach.Handle}, and {_options.HandleMax} is the last.");
        if (_theirs.ContainsKey(attach.Handle))
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.HandleInUse, $"The peer has a link with the handle {attach.Handle} already.");
        var link = _links.Taken.FirstOrDefault(link => link.Name == attach.Name && link.Role != attach.Role && link.RemoteHandle is null)
            ?? throw new AmqpException(AmqpLevel.Session, ErrorConditions.NotAllowed, $"The peer attached a link {attach.Name} that nobody asked for.");
        _theirs.Add(attach.Handle, link);
        link.OnAttach(attach);
    }

    private void OnDetach(Detach detach)
    {
        var link = Link(detach.Handle);
        _theirs.Remove(detach.Handle);
        link.OnDetach(detach);
        _links.Free(link.Handle);
    }

    private void OnFlow(in Flow flow)
    {
        if (!Windows.TryTakeFlow(flow.NextIncomingId, flow.IncomingWindow))
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, $"The peer expects transfer {flow.NextIncomingId}, and {Windows.NextOutgoingId} is the next.");
        if (flow.Handle is { } handle)
            Link(handle).OnFlow(flow);
        else if (flow.Echo)
            WriteFlow();
        foreach (var link in _links.Taken)
            (link as AmqpSender)?.OnWindow();
    }

    private void OnTransfer(in Transfer transfer, ReadOnlySpan<byte> payload)
    {
        if (!Windows.TryReceive())
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.WindowViolation, "The peer sent more transfer frames than the window allows.");
        if (Link(transfer.Handle) is not AmqpReceiver receiver)
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.NotAllowed, "The peer sent a message on a link on which we send.");
        try
        {
            receiver.OnTransfer(transfer, payload);
        }
        catch (AmqpException problem) when (problem.Level == AmqpLevel.Link)
        {
            receiver.Detach(new AmqpError(problem.Condition!.Value, problem.Description), problem, tells: true);
        }

        if (Windows.ShouldRenew)
            WriteFlow();
    }

    private void OnDisposition(in Disposition disposition)
    {
        var last = disposition.Last ?? disposition.First;
        if (Serial.Ahead(last, disposition.First) < 0)
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, $"The peer speaks of the deliveries from {disposition.First} to {last}.");
        if (disposition.Role == Role.Receiver)
        {
            foreach (var (id, outbound) in Sent.Within(disposition.First, last))
                OnOutcome(id, outbound, disposition.State, disposition.Settled);
        }
        else
        {
            foreach (var (id, delivery) in Arrived.Within(disposition.First, last))
                OnState(id, delivery, disposition.State, disposition.Settled);
        }
    }

    private void OnOutcome(uint id, Outbound outbound, DeliveryState? state, bool isSettled)
    {
        if (!isSettled && state is not (Accepted or Rejected or Released or Modified))
            return;
        Sent.Remove(id);
        outbound.Set(state ?? outbound.Sender.RemoteSource?.DefaultOutcome ?? Released.Instance);
        if (!isSettled)
            Connection.Outgoing.Disposition(Channel, Role.Sender, id, settled: true, null);
    }

    private void OnState(uint id, AmqpDelivery delivery, DeliveryState? state, bool isSettled)
    {
        if (isSettled)
            Arrived.Remove(id);
        AmqpReceiver.OnDisposition(delivery, state, isSettled);
    }

    private AmqpLink Link(uint handle) => _theirs.TryGetValue(handle, out var link)
        ? link
        : throw new AmqpException(AmqpLevel.Session, ErrorConditions.UnattachedHandle, $"The peer has no link with the handle {handle}.");

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
        foreach (var link in _links.Taken)
            link.End(why, tells);
        if (tells && Stage == SessionStage.Active && _options.OnClosed is { } told)
            Gate.Add(new Told(told, why));
    }
}
