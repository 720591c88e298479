namespace Holdfast.Amqp;

/// <summary>
/// A connection, with two threads of its own and no need for any other. Any thread may call it; no call waits for the network.
/// What the peer completes is completed on one of the two, mostly the reader, and whatever waited for it goes on there up to its next wait:
/// keep that short, and never block it. What is ended by us is told on the thread that ends it.
/// </summary>
public sealed class AmqpConnection : IAsyncDisposable
{
    private readonly AmqpConnectionOptions _options;
    private readonly Handshake _handshake;
    private readonly Channels _channels;
    private readonly Inbound _inbound;
    private readonly ConnectionClock _clock;
    private readonly Departures _departures;
    private readonly ConnectionOpening _opening;
    private readonly Lookout _lookout;
    private readonly Ending _end;
    private AmqpException? _failure;
    private Exception? _writeProblem;

    /// <summary>Without threads: to be moved by hand.</summary>
    internal AmqpConnection(AmqpConnectionOptions options)
    {
        _options = options;
        _clock = new ConnectionClock(options);
        _departures = new Departures(_clock.Idle);
        _handshake = new Handshake(options, Outgoing);
        _channels = new Channels(options);
        _inbound = new Inbound(this, options, _handshake, _channels);
        _lookout = new Lookout(this, options, _clock, _departures, _channels, _handshake);
        _opening = new ConnectionOpening(Gate, this);
        _end = new Ending(Gate);
        Gate.OnLeave = _departures.WakeWriter;
        Gate.OnFault = OnFault;
    }

    /// <summary>Why it ended; null while it lives.</summary>
    public AmqpException? Failure => Volatile.Read(ref _failure);

    /// <summary>When the peer was last heard of, as a <see cref="TimeProvider.GetTimestamp"/>.</summary>
    public long LastReadAt => _clock.Idle.LastRead;

    internal Gate Gate { get; } = new();

    internal Outgoing Outgoing => _departures.Outgoing;

    internal bool IsWriterWanted => _departures.IsWriterWanted;

    /// <summary>Behind the gate.</summary>
    internal ConnectionStage Stage { get; private set; }

    /// <summary>Whether the last word has been said, and nothing is waited for.</summary>
    internal bool HangsUpOnceSent => _lookout.HangsUpOnceSent;

    /// <summary>Connects, with TLS, WebSocket and SASL as the options say, and opens.</summary>
    /// <exception cref="AmqpException">The peer can't be reached, refuses us, or speaks something else.</exception>
    public static ValueTask<AmqpConnection> OpenAsync(AmqpConnectionOptions options, CancellationToken cancel)
    {
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<AmqpConnection>(cancel);

        var connection = new AmqpConnection(options);
        connection._departures.Wire = new Wire(connection, options);
        connection._departures.Wire.Start();
        return connection.Opened(cancel);
    }

    /// <exception cref="AmqpException">The connection has ended, or has no room for another session.</exception>
    public ValueTask<AmqpSession> OpenSessionAsync(SessionOptions options, CancellationToken cancel)
    {
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<AmqpSession>(cancel);

        var session = new AmqpSession(this, options);
        using (Gate.Enter())
        {
            if (_failure is not null)
                session.End(_failure, tells: false);
            else
                _channels.Open(session, _handshake.Remote!.ChannelMax);
        }

        return session.Opening.WaitAsync(cancel);
    }

    /// <summary>
    /// To be called before something is sent that the peer answers soon, and disposed of when the answer is here: until then the peer may be silent
    /// only for the <see cref="AmqpConnectionOptions.AnswerTimeout"/>.
    /// </summary>
    public AnswerWait AwaitAnswer() => new(_clock.Idle);

    /// <summary>Tells the peer, waits for its answer as long as the options allow, and returns when the socket is closed. Never throws but for the token.</summary>
    public ValueTask CloseAsync(CancellationToken cancel)
    {
        Pending<bool> end;
        using (Gate.Enter())
        {
            if (Stage == ConnectionStage.Open)
                Close(null, new AmqpException(AmqpLevel.Connection, null, "The connection was closed."), tells: false);
            end = _end.Await();
        }

        _departures.Wire?.Wake();
        return end.WaitToEndAsync(cancel);
    }

    /// <summary>Ends it without a word to the peer. Whatever waits for it fails.</summary>
    public void Abort()
    {
        using (Gate.Enter())
            Fail(new AmqpException(AmqpLevel.Connection, null, "The connection was given up."), tells: false);
        _departures.Wire?.HangUp();
    }

    /// <summary>The same for a peer that is of no use any more, which all are told who are told when it ends the connection itself.</summary>
    public void GiveUp(string why)
    {
        using (Gate.Enter())
            Fail(new AmqpException(AmqpLevel.Connection, null, why), tells: true);
        _departures.Wire?.HangUp();
    }

    public ValueTask DisposeAsync() => CloseAsync(CancellationToken.None);

    internal ValueTask<AmqpConnection> Opened(CancellationToken cancel) => _opening.WaitAsync(cancel);

    internal void OnConnected()
    {
        using (Gate.Enter())
            _handshake.Begin();
        _departures.Wire?.Wake();
    }

    /// <summary>Where the reader puts what comes.</summary>
    internal Span<byte> Room() => _inbound.Room();

    /// <summary>So much has come. False where nothing more is wanted.</summary>
    internal bool OnRead(int count)
    {
        _clock.Idle.NoteRead();
        _inbound.Take(count);
        if (IsWriterWanted)
            _departures.Wire?.Wake();
        return Stage < ConnectionStage.Over;
    }

    /// <summary>The reader has no stream any more, or none to begin with.</summary>
    internal void OnDisconnected(Exception? problem)
    {
        using (Gate.Enter())
        {
            Fail(_lookout.Verdict ?? Lost(_writeProblem ?? problem), tells: true);
            Stage = ConnectionStage.Over;
        }
    }

    internal void OnWriteFailed(Exception problem)
    {
        using (Gate.Enter())
            _writeProblem = problem;
    }

    /// <summary>Both threads are through.</summary>
    internal void OnEnded()
    {
        using (Gate.Enter())
        {
            Stage = ConnectionStage.Ended;
            _end.Come();
            _inbound.Dispose();
            _departures.Dispose();
        }
    }

    internal void OnCalledOff()
    {
        Fail(new AmqpException(AmqpLevel.Connection, null, "The connection was called off."), tells: false);
        _departures.Wire?.HangUp();
    }

    /// <summary>The writer's look at the clock; how long it may sleep.</summary>
    internal TimeSpan OnTick()
    {
        using var turn = Gate.Enter();
        return _lookout.Look();
    }

    /// <summary>The writer gets nowhere.</summary>
    internal void OnStalled()
    {
        OnTick();
        if (HangsUpOnceSent)
            _departures.Wire?.HangUp();
    }

    /// <summary>The writer gets on again.</summary>
    internal void OnResumed()
    {
        using (Gate.Enter())
            _clock.Idle.NoteResumed();
    }

    /// <summary>What the writer is to send; left alone until it asks again.</summary>
    internal ReadOnlySpan<byte> TakeOutgoing()
    {
        using var turn = Gate.Enter();
        return _departures.Take();
    }

    /// <summary>Behind the gate: the sender has more than fits.</summary>
    internal void AwaitRoom(AmqpSender sender) => _departures.AwaitRoom(sender);

    /// <summary>On the reader thread: to be told when all of this read is worked through.</summary>
    internal void AwaitBurst(AmqpReceiver receiver) => _inbound.AwaitBurst(receiver);

    /// <summary>Behind the gate, as the next four.</summary>
    internal void OnOpen()
    {
        Stage = ConnectionStage.Open;
        _clock.Idle.SetPeerTimeout(_handshake.Remote!.IdleTimeout);
        _opening.Set(this);
        _departures.Wire?.Wake();
    }

    internal void OnClose(Close close)
    {
        if (Stage == ConnectionStage.Open)
            Write(new Close());
        Fail(AmqpException.FromPeer(AmqpLevel.Connection, close.Error), tells: true);
        Stage = ConnectionStage.Over;
    }

    /// <summary>The peer does not keep to the protocol, or refuses us.</summary>
    internal void OnViolation(AmqpException problem)
    {
        if (Stage == ConnectionStage.Open)
        {
            Close(problem.ToError(), problem, tells: true);
            return;
        }

        Fail(problem, tells: true);
        if (Stage == ConnectionStage.Opening)
            Stage = ConnectionStage.Over;
    }

    internal void Write(Close close)
    {
        using (Outgoing.Begin(0, out var writer))
            close.Encode(writer);
    }

    internal void Fail(AmqpException why, bool tells)
    {
        if (_failure is not null)
            return;
        Volatile.Write(ref _failure, why);
        _opening.Fail(why);
        _channels.EndAll(why, tells);
        if (tells && Stage != ConnectionStage.Opening && _options.OnClosed is { } told)
            Gate.Add(new Told(told, why));
    }

    /// <summary>Outside the gate: someone threw who was told something.</summary>
    internal void OnFault(Exception fault)
    {
        using (Gate.Enter())
        {
            var why = new AmqpException(AmqpLevel.Connection, ErrorConditions.InternalError, $"What was told of the connection's messages threw: {fault.Message}", fault);
            if (Stage == ConnectionStage.Open)
                Close(new AmqpError(ErrorConditions.InternalError, "The client failed."), why, tells: true);
        }

        _departures.Wire?.Wake();
    }

    private void Close(AmqpError? error, AmqpException why, bool tells)
    {
        Write(new Close(error));
        Fail(why, tells);
        Stage = ConnectionStage.Closing;
        _clock.NoteClosed();
    }

    private AmqpException Lost(Exception? problem)
    {
        var reason = problem?.Message ?? "the peer ended it without a word";
        return new(AmqpLevel.Connection, null, Stage == ConnectionStage.Opening ? $"{_options.Address} can't be connected to: {reason}." : $"The connection to {_options.Address} is lost: {reason}.", problem);
    }
}
