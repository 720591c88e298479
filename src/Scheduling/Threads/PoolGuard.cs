using System.Net;
using System.Net.Sockets;

namespace Holdfast.Scheduling;

/// <summary>
/// Keeps the .NET pool, where the brokers' clients live, fit to answer: asks it ten times a second, and gives it more threads where it stays silent.
/// It starts with them, and they are taken back where nothing has use for them: the more threads the pool may wake, the more it wakes.
/// On the lease thread, for a timer of the pool would be late just then.
/// </summary>
public sealed class PoolGuard : IThreadPoolWorkItem, ITimedWork, IDisposable
{
    private const long Never = long.MinValue;

    // A process that stood still finds its question unanswered too; but not twice.
    private const int Silences = 2;

    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(10);

    // Handlers that leave for the pool do so from their first message on.
    private static readonly TimeSpan s_trial = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_peace = TimeSpan.FromMinutes(5);

    private readonly TimeProvider _time;
    private readonly IPool _pool;
    private TimeSpan _next;
    private TimeSpan _nextQuestion;
    private TimeSpan _raisedUntil;
    private int _silences;
    private bool _hasBegun;
    private bool _isRaised;
    private long _askedAt = Never;
    private long _lastDelay;

    /// <param name="time">What the delay is measured by.</param>
    /// <param name="workerThreads">How many threads run handlers.</param>
    /// <param name="handlers">How many messages may be in hand at once.</param>
    public PoolGuard(TimeProvider time, int workerThreads, int handlers)
        : this(time, new DotNetPool(workerThreads, handlers))
    {
    }

    internal PoolGuard(TimeProvider time, IPool pool) => (_time, _pool) = (time, pool);

    /// <summary>The last measured delay, or the age of the question under way if that is longer.</summary>
    public TimeSpan Delay
    {
        get
        {
            var askedAt = Interlocked.Read(ref _askedAt);
            var last = new TimeSpan(Interlocked.Read(ref _lastDelay));
            if (askedAt == Never)
                return last;
            var age = _time.GetElapsedTime(askedAt);
            return age > last ? age : last;
        }
    }

    /// <summary>To be called before any thread of ours is made nicer: a thread of the pool inherits the niceness of the one that first needs it.</summary>
    public static void Prepare()
    {
        ThreadPool.UnsafeQueueUserWorkItem(static _ => { }, null);
        using (new Timer(static _ => { }, null, dueTime: 1, Timeout.Infinite))
            StartSocketEngine();
    }

    /// <summary>Takes back what the pool was raised by. Once nothing runs it any more.</summary>
    public void Dispose() => _pool.Lower();

    TimeSpan ITimedWork.RunDue(TimeSpan now)
    {
        if (now < _next)
            return _next;
        Begin(now);
        if (Interlocked.Read(ref _askedAt) != Never)
            return _next = Unanswered(now);

        _silences = 0;
        if (now < _nextQuestion)
            return _next = _nextQuestion;

        if (_isRaised && now >= _raisedUntil)
            _isRaised = !_pool.TryLower();
        Ask();
        _nextQuestion = now + s_period;
        return _next = now + s_patience;
    }

    void IThreadPoolWorkItem.Execute()
    {
        Interlocked.Exchange(ref _lastDelay, _time.GetElapsedTime(Interlocked.Read(ref _askedAt)).Ticks);
        Interlocked.Exchange(ref _askedAt, Never);
    }

    private void Begin(TimeSpan now)
    {
        if (_hasBegun)
            return;
        _hasBegun = true;
        Raise(now + s_trial);
    }

    private TimeSpan Unanswered(TimeSpan now)
    {
        if (++_silences < Silences)
            return now + s_patience;

        Raise(now + s_peace);
        return now + s_period;
    }

    private void Raise(TimeSpan until)
    {
        _raisedUntil = until;
        if (!_isRaised)
            _isRaised = _pool.TryRaise();
    }

    private void Ask()
    {
        Interlocked.Exchange(ref _askedAt, _time.GetTimestamp());
        try
        {
            _pool.Queue(this);
        }
        catch (OutOfMemoryException)
        {
            // It is queued, and the system has no thread to run it: so the pool is late, until it has.
        }
    }

    // A read that cannot complete at once is what makes the engine.
    private static void StartSocketEngine()
    {
        try
        {
            using var read = new SocketAsyncEventArgs();
            read.SetBuffer(new byte[1]);
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            socket.ReceiveAsync(read);
        }
        catch (SocketException)
        {
            // No such sockets here: the first real one makes the engine.
        }
    }
}
