using System.Net;
using System.Net.Sockets;

namespace Holdfast.Scheduling;

/// <summary>Keeps the .NET pool, where the brokers' clients live, fit to answer, and measures how late it answers.</summary>
public sealed class PoolGuard : IThreadPoolWorkItem
{
    private const long Never = long.MinValue;
    private const int MostThreads = 1024;

    private readonly TimeProvider _time;
    private readonly Action<IThreadPoolWorkItem> _queue;
    private long _askedAt = Never;
    private long _lastDelay;

    // The global queue, because that is where the sockets' completions wait.
    public PoolGuard(TimeProvider time)
        : this(time, static item => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false))
    {
    }

    internal PoolGuard(TimeProvider time, Action<IThreadPoolWorkItem> queue)
    {
        _time = time;
        _queue = queue;
    }

    /// <summary>The last measured delay, or the age of the probe under way if that is longer.</summary>
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
    public static void Prepare(int workerThreads, int handlers)
    {
        RaiseMinThreads(workerThreads, handlers);
        ThreadPool.UnsafeQueueUserWorkItem(static _ => { }, null);
        using (new Timer(static _ => { }, null, dueTime: 1, Timeout.Infinite))
            StartSocketEngine();
    }

    /// <summary>Asks the pool to answer, unless it still owes an answer.</summary>
    public void Probe()
    {
        if (Interlocked.CompareExchange(ref _askedAt, _time.GetTimestamp(), Never) != Never)
            return;

        try
        {
            _queue(this);
        }
        catch (OutOfMemoryException)
        {
            // It is queued, and the system has no thread to run it: so the pool is late, until it has.
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        Interlocked.Exchange(ref _lastDelay, _time.GetElapsedTime(Interlocked.Read(ref _askedAt)).Ticks);
        Interlocked.Exchange(ref _askedAt, Never);
    }

    internal static int MinThreads(int workerThreads, int handlers) =>
        (int)Math.Min(MostThreads, Math.Max(Math.Max(32, 8L * workerThreads), handlers + 32L));

    // A handler's work that escapes to the pool then gets a thread at once, and never queues in front of a heartbeat.
    private static void RaiseMinThreads(int workerThreads, int handlers)
    {
        ThreadPool.GetMinThreads(out var least, out var leastPorts);
        ThreadPool.GetMaxThreads(out var most, out _);
        var wanted = Math.Min(Math.Min(most, ThreadLimit.ForEach), MinThreads(workerThreads, handlers));
        if (wanted > least)
            ThreadPool.SetMinThreads(wanted, leastPorts);
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
