namespace Holdfast.Amqp;

/// <summary>
/// A connection, with two threads of its own and no need for any other. Any thread may call it; no call waits for the network.
/// What completes, completes on the connection's reader thread, and so does everything up to its next wait: keep that short, and never block it.
/// </summary>
public sealed class AmqpConnection : IAsyncDisposable
{
    private readonly AmqpConnectionOptions _options;
    private readonly Handshake _handshake;
    private readonly Channels _channels;
    private readonly FrameReader _frames;
    private readonly IdleWatch _idle;
    private readonly ConnectionOpening _opening;
    private readonly List<Pending<bool>> _closing = [];
    private readonly Queue<AmqpSender> _awaitingRoom = new();
    private readonly List<AmqpReceiver> _inBurst = [];
    private readonly long _startedAt;
    private long _closedAt;
    private Wire? _wire;
    private AmqpException? _failure;
    private AmqpException? _verdict;
    private Exception? _writeProblem;
    private ConnectionStage _stage;
    private bool _isWriterIdle;
    private bool _isDeaf;

    /// <summary>Without threads: to be moved by hand.</summary>
    internal AmqpConnection(AmqpConnectionOptions options)
    {
        _options = options;
        _startedAt = options.Time.GetTimestamp();
        _frames = new FrameReader(options.Limits);
        _handshake = new Handshake(options, Outgoing);
        _channels = new Channels(options);
        _idle = new IdleWatch(options.Time, options.IdleTimeout);
        _opening = new ConnectionOpening(Gate, this);
        Gate.OnLeave = WakeWriter;
        Gate.OnFault = OnFault;
    }

    /// <summary>Why it ended; null while it lives.</summary>
    public AmqpException? Failure => Volatile.Read(ref _failure);

    public string RemoteContainerId => _handshake.Remote!.ContainerId;

    public AmqpFields? RemoteProperties => _handshake.Remote!.Properties;

    /// <summary>When the peer was last heard of, as a <see cref="TimeProvider.GetTimestamp"/>.</summary>
    public long LastReadAt => _idle.LastRead;

    internal Gate Gate { get; } = new();

    internal Outgoing Outgoing { get; } = new();

    internal ValueTask<AmqpConnection> Opened(CancellationToken cancel) => _opening.WaitAsync(cancel);

    /// <summary>Whether the last word has been said, and nothing is waited for.</summary>
    internal bool HangsUpOnceSent { get; private set; }

    /// <summary>Connects, with TLS, WebSocket and SASL as the options say, and opens.</summary>
    /// <exception cref="AmqpException">The peer can't be reached, refuses us, or speaks something else.</exception>
    public static ValueTask<AmqpConnection> OpenAsync(AmqpConnectionOptions options, CancellationToken cancel)
    {
        var connection = new AmqpConnection(options);
        connection._wire = new Wire(connection, options);
        connection._wire.Start();
        return connection.Opened(cancel);
    }

    /// <exception cref="AmqpException">The connection has ended, or has no room for another session.</exception>
    public ValueTask<AmqpSession> OpenSessionAsync(SessionOptions options, CancellationToken cancel)
    {
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

    /// <summary>Tells the peer, waits for its answer as long as the options allow, and returns when the socket is closed. Never throws but for the token.</summary>
    public ValueTask CloseAsync(CancellationToken cancel)
    {
        var closing = new Pending<bool>(Gate);
        using (Gate.Enter())
        {
            if (_stage == ConnectionStage.Open)
                Close(null, new AmqpException(AmqpLevel.Connection, null, "The connection was closed."), tells: false);
            if (_stage == ConnectionStage.Ended)
                closing.Set(true);
            else
                _closing.Add(closing);
        }

        _wire?.Wake();
        return closing.WaitToEndAsync(cancel);
    }

    /// <summary>Ends it without a word to the peer. Whatever waits for it fails.</summary>
    public void Abort()
    {
        using (Gate.Enter())
            Fail(new AmqpException(AmqpLevel.Connection, null, "The connection was given up."), tells: false);
        _wire?.HangUp();
    }

    public ValueTask DisposeAsync() => CloseAsync(CancellationToken.None);

    internal void OnConnected()
    {
        using (Gate.Enter())
            _handshake.Begin();
        _wire?.Wake();
    }

    /// <summary>Where the reader puts what comes.</summary>
    internal Span<byte> Room() => _frames.Room().Span;

    /// <summary>So much has come. False where nothing more is wanted.</summary>
    internal bool OnRead(int count)
    {
        _idle.NoteRead();
        if (!_isDeaf)
            _frames.Advance(count);
        while (TryTakeNext())
        {
        }

        foreach (var receiver in _inBurst)
            EndBurst(receiver);
        _inBurst.Clear();
        if (!Outgoing.IsEmpty)
            _wire?.Wake();
        return _stage < ConnectionStage.Over;
    }

    /// <summary>The reader has no stream any more, or none to begin with.</summary>
    internal void OnDisconnected(Exception? problem)
    {
        using (Gate.Enter())
        {
            Fail(_verdict ?? Lost(_writeProblem ?? problem), tells: true);
            _stage = ConnectionStage.Over;
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
            _stage = ConnectionStage.Ended;
            foreach (var closing in _closing)
                closing.Set(true);
            _closing.Clear();
            _frames.Dispose();
            Outgoing.Dispose();
        }
    }

    internal void OnCalledOff()
    {
        Fail(new AmqpException(AmqpLevel.Connection, null, "The connection was called off."), tells: false);
        _wire?.HangUp();
    }

    /// <summary>The writer's look at the clock; how long it may sleep.</summary>
    internal TimeSpan OnTick()
    {
        using var turn = Gate.Enter();
        return _stage switch
        {
            ConnectionStage.Opening => TickWhileOpening(_options.OpenTimeout - _options.Time.GetElapsedTime(_startedAt)),
            ConnectionStage.Open => TickWhileOpen(),
            ConnectionStage.Closing => TickWhileClosing(_options.CloseTimeout - _options.Time.GetElapsedTime(_closedAt)),
            _ => TimeSpan.MaxValue,
        };
    }

    /// <summary>The writer gets nowhere.</summary>
    internal void OnStalled()
    {
        OnTick();
        if (HangsUpOnceSent)
            _wire?.HangUp();
    }

    /// <summary>What the writer is to send; left alone until it asks again.</summary>
    internal ReadOnlySpan<byte> TakeOutgoing()
    {
        using var turn = Gate.Enter();
        var bytes = Outgoing.Take();
        _isWriterIdle = bytes.IsEmpty;
        if (!bytes.IsEmpty)
            _idle.NoteWrite();
        for (var waiting = _awaitingRoom.Count; waiting > 0; waiting--)
            _awaitingRoom.Dequeue().OnRoom();
        return bytes;
    }

    /// <summary>Behind the gate: the sender has more than fits.</summary>
    internal void AwaitRoom(AmqpSender sender) => _awaitingRoom.Enqueue(sender);

    /// <summary>On the reader thread: to be told when all of this read is worked through.</summary>
    internal void AwaitBurst(AmqpReceiver receiver) => _inBurst.Add(receiver);

    // One header or frame, and what it sets off.
    private bool TryTakeNext()
    {
        using var turn = Gate.Enter();
        if (_isDeaf || _stage >= ConnectionStage.Over)
            return false;
        try
        {
            if (_handshake.AwaitsHeader)
            {
                if (!_frames.TryReadProtocolHeader(out var header))
                    return false;
                _handshake.OnHeader(header);
                return true;
            }

            if (!_frames.TryReadFrame(out var frame))
                return false;
            OnFrame(frame);
        }
        catch (AmqpException problem)
        {
            OnViolation(problem);
        }
        catch (AmqpDecodeException problem)
        {
            // Where the next frame begins is anyone's guess.
            OnViolation(new AmqpException(AmqpLevel.Connection, ErrorConditions.DecodeError, $"The peer sent what can't be read: {problem.Message}", problem));
        }

        return true;
    }

    private void OnFrame(in Frame frame)
    {
        if (_stage == ConnectionStage.Opening)
        {
            _handshake.OnFrame(frame);
            if (_handshake.Remote is { } remote)
                OnOpen(remote);
            return;
        }

        if (frame.Type != FrameType.Amqp)
            throw new AmqpException(AmqpLevel.Connection, ErrorConditions.FramingError, "The peer sent a SASL frame on an open connection.");
        if (frame.Body.IsEmpty)
            return;
        var reader = new AmqpReader(frame.Body.Span, _options.Limits);
        var performative = reader.ReadDescriptor();
        if (performative == Descriptor.Close)
            OnClose(Amqp.Close.Decode(ref reader));
        else if (_stage == ConnectionStage.Open)
            _channels.OnFrame(frame.Channel, performative, ref reader);
    }

    private void OnOpen(Open remote)
    {
        _stage = ConnectionStage.Open;
        _idle.SetPeerTimeout(remote.IdleTimeout);
        _opening.Set(this);
        _wire?.Wake();
    }

    private void OnClose(Close close)
    {
        if (_stage == ConnectionStage.Open)
            Write(new Close());
        Fail(AmqpException.FromPeer(AmqpLevel.Connection, close.Error), tells: true);
        _stage = ConnectionStage.Over;
    }

    private void OnViolation(AmqpException problem)
    {
        _isDeaf = true;
        if (_stage == ConnectionStage.Open)
            Close(new AmqpError(problem.Condition!.Value, problem.Description), problem, tells: true);
        else
            Fail(problem, tells: true);
        if (_stage == ConnectionStage.Opening)
            _stage = ConnectionStage.Over;
    }

    private void OnFault(Exception fault)
    {
        using (Gate.Enter())
        {
            var why = new AmqpException(AmqpLevel.Connection, ErrorConditions.InternalError, $"What was told of the connection's messages threw: {fault.Message}", fault);
            if (_stage == ConnectionStage.Open)
                Close(new AmqpError(ErrorConditions.InternalError, "The client failed."), why, tells: true);
        }

        _wire?.Wake();
    }

    private void EndBurst(AmqpReceiver receiver)
    {
        try
        {
            receiver.EndBurst();
        }
        catch (Exception fault)
        {
            OnFault(fault);
        }
    }

    private void Close(AmqpError? error, AmqpException why, bool tells)
    {
        Write(new Close(error));
        Fail(why, tells);
        (_stage, _closedAt) = (ConnectionStage.Closing, _options.Time.GetTimestamp());
    }

    private void Write(Close close)
    {
        using (Outgoing.Begin(0, out var writer))
            close.Encode(writer);
    }

    private void Fail(AmqpException why, bool tells)
    {
        if (_failure is not null)
            return;
        Volatile.Write(ref _failure, why);
        _opening.Fail(why);
        _channels.EndAll(why, tells);
        if (tells && _stage != ConnectionStage.Opening && _options.OnClosed is { } told)
            Gate.Add(new Told(told, why));
    }

    private TimeSpan TickWhileOpening(TimeSpan left)
    {
        if (left > TimeSpan.Zero)
            return left;
        _verdict = new AmqpException(AmqpLevel.Connection, null, $"{Address} did not open a connection within {_options.OpenTimeout.TotalSeconds:0.#} s: it still owes {_handshake.Awaits}.");
        _wire?.HangUp();
        return TimeSpan.MaxValue;
    }

    private TimeSpan TickWhileOpen()
    {
        if (_idle.IsBeatDue && Outgoing.IsEmpty)
            Outgoing.Beat();
        if (_verdict is not null || !_idle.IsPeerGone(_wire?.IsWaitingInVain ?? true))
            return _idle.UntilDue;

        _verdict = new AmqpException(AmqpLevel.Connection, ErrorConditions.ResourceLimitExceeded, $"{Address} has been silent for {_options.IdleTimeout.TotalSeconds:0.#} s.");
        Write(new Close(new AmqpError(ErrorConditions.ResourceLimitExceeded, "Nothing was heard for longer than the idle time-out allows.")));
        HangsUpOnceSent = true;
        return TimeSpan.MaxValue;
    }

    private TimeSpan TickWhileClosing(TimeSpan left)
    {
        if (left > TimeSpan.Zero)
            return left;
        _wire?.HangUp();
        return TimeSpan.MaxValue;
    }

    private AmqpException Lost(Exception? problem)
    {
        var reason = problem?.Message ?? "the peer ended it without a word";
        return new(AmqpLevel.Connection, null, _stage == ConnectionStage.Opening ? $"{Address} can't be connected to: {reason}." : $"The connection to {Address} is lost: {reason}.", problem);
    }

    private string Address => $"{_options.Host}:{_options.Port}";

    // What is written on the reader thread waits for all that it has read.
    private void WakeWriter()
    {
        if (!_isWriterIdle || Outgoing.IsEmpty || _wire is null || _wire.IsReaderThread)
            return;
        _isWriterIdle = false;
        _wire.Wake();
    }
}
