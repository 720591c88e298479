using System.Net;

namespace Holdfast.Amqp;

/// <summary>
/// The two threads of a connection. The reader makes the stream and hands on what arrives; the writer sends what has gathered, and keeps the time.
/// Both end when the connection does: the reader last.
/// </summary>
internal sealed class Wire
{
    private static readonly TimeSpan s_longestSleep = TimeSpan.FromMinutes(10);

    private readonly AmqpConnection _connection;
    private readonly Dial _dial;
    private readonly TimeSpan _timeToFlush;
    private readonly AutoResetEvent _wake = new(false);
    private readonly Thread _reader;
    private readonly Thread _writer;
    private Stream? _stream;
    private volatile bool _isEnding;
    private volatile bool _isReading;

    public Wire(AmqpConnection connection, AmqpConnectionOptions options)
    {
        (_connection, _timeToFlush) = (connection, options.CloseTimeout);
        _dial = new Dial(options, Dns.GetHostAddresses, Wake, connection.OnStalled, connection.OnResumed);
        _reader = NewThread(ReaderMain, $"amqp-reader {options.Host}");
        _writer = NewThread(WriterMain, $"amqp-writer {options.Host}");
    }

    public bool IsReaderThread => Thread.CurrentThread == _reader;

    /// <summary>What is waited for, while there is no stream yet.</summary>
    public DialStage Stage => _dial.Stage;

    /// <summary>Whether the reader waits for the peer, and in vain, so that silence is the peer's and not ours.</summary>
    public bool IsWaitingInVain => _isReading && !_dial.HasUnread;

    public void Start()
    {
        // In this order: a reader that is refused at once waits for the writer to end.
        _writer.UnsafeStart();
        _reader.UnsafeStart();
    }

    /// <summary>There is something to send, or another time to keep.</summary>
    public void Wake() => _wake.Set();

    /// <summary>Ends it at once, whatever either thread waits for.</summary>
    public void HangUp() => _dial.HangUp();

    private static Thread NewThread(ThreadStart main, string name) => new(main) { Name = name, IsBackground = true };

    private void ReaderMain()
    {
        _connection.OnDisconnected(ReadAll());
        End();
        _connection.OnEnded();
    }

    // What went wrong; null where the connection came to its end in order.
    private Exception? ReadAll()
    {
        try
        {
            var stream = _dial.Connect();
            Volatile.Write(ref _stream, stream);
            _connection.OnConnected();
            Read(stream);
            return null;
        }
        catch (Exception problem)
        {
            return problem;
        }
    }

    private void Read(Stream stream)
    {
        while (true)
        {
            var room = _connection.Room();
            _isReading = true;
            var read = stream.Read(room);
            _isReading = false;
            if (read == 0 || !_connection.OnRead(read))
                return;
        }
    }

    // What was said last shall still be heard, but a peer that does not listen can't hold us up for long.
    private void End()
    {
        _isEnding = true;
        _wake.Set();
        _writer.Join(_timeToFlush);
        _dial.HangUp();
        _writer.Join();
        Dispose(_stream);
    }

    // TLS may still have something to say, to a socket that is gone.
    private static void Dispose(Stream? stream)
    {
        try
        {
            stream?.Dispose();
        }
        catch (Exception)
        {
            // Nobody is there to hear it.
        }
    }

    private void WriterMain()
    {
        try
        {
            while (true)
            {
                // Looked at before what is there is taken, so that what was written before the end is sent.
                var isEnding = _isEnding;
                var sleep = _connection.OnTick();
                var hasWritten = Volatile.Read(ref _stream) is { } stream && Write(stream);
                if (isEnding)
                    return;

                // Somebody may wait for the answer to what was written just now: then there is less time to sleep.
                if (!hasWritten)
                    _wake.WaitOne(TimeSpan.FromTicks(Math.Clamp(sleep.Ticks, 0, s_longestSleep.Ticks)));
            }
        }
        catch (Exception problem)
        {
            _connection.OnWriteFailed(problem);
            HangUp();
        }
    }

    // Whether there was anything to write.
    private bool Write(Stream stream)
    {
        var hasWritten = false;
        while (_connection.TakeOutgoing() is { IsEmpty: false } bytes)
        {
            stream.Write(bytes);
            hasWritten = true;
        }

        stream.Flush();
        if (_connection.HangsUpOnceSent)
            HangUp();
        return hasWritten;
    }
}
