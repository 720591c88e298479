using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>
/// Sends to any queue of a broker. What it opens for that it keeps for the next message, for the 200 queues that it sent to last.
/// All of it is closed when it is disposed; a host disposes its own. Any thread.
/// </summary>
public sealed class Senders(IBroker broker) : IAsyncDisposable
{
    // Whoever answers to message.ReplyTo meets new names for ever, and each may be a link with its session.
    internal const int MostKept = 200;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, Opened> _opened = new(StringComparer.Ordinal);
    private readonly CancellationTokenSource _end = new();
    private long _uses;
    private bool _isDisposed;

    /// <summary>Sends a message at once, and returns when the broker has taken it over; at the earliest after <paramref name="delay"/> is it delivered.</summary>
    /// <exception cref="BrokerException">The broker failed; whether it took the message over is unknown.</exception>
    public async ValueTask SendAsync(string queue, Message message, TimeSpan delay = default, CancellationToken cancel = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(queue);
        ArgumentNullException.ThrowIfNull(message);
        var opened = Enter(queue);
        try
        {
            await SendByAsync(opened, message, delay, cancel);
        }
        finally
        {
            opened.Leave();
        }
    }

    public async ValueTask DisposeAsync()
    {
        Opened[] all;
        lock (_gate)
        {
            _isDisposed = true;
            all = [.. _opened.Values];
            _opened.Clear();
        }

        _end.Cancel();
        await Task.WhenAll(all.Select(CloseAsync));
    }

    /// <summary>The same of several: they start in their order, and are awaited together. Where some fail, the others are sent all the same.</summary>
    internal async Task SendAllAsync(IReadOnlyList<Publication> all, CancellationToken cancel)
    {
        Opened[] opened = [.. all.Select(next => Enter(next.Queue))];
        try
        {
            // Those who wait for one opening go on side by side once it is there, and in any order. So all is open before the first one starts.
            await Task.WhenAll(opened.Select(Task (one) => one.Sender)).WaitAsync(cancel)
                .ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing);
            await Task.WhenAll(all.Zip(opened, (next, by) => SendByAsync(by, next.Message, next.Delay, cancel)));
        }
        finally
        {
            foreach (var one in opened)
                one.Leave();
        }
    }

    private static async Task SendByAsync(Opened opened, Message message, TimeSpan delay, CancellationToken cancel)
    {
        var sender = await opened.Sender.WaitAsync(cancel);
        await sender.SendAsync(message, delay, cancel);
    }

    private Opened Enter(string queue)
    {
        var opened = Take(queue, out var isNew, out var idle);
        foreach (var one in idle)
            _ = CloseAsync(one);

        // Not under the lock that handlers take: it is a broker's code, which may take its time.
        // Nor as a part of the work, or of the trace, of who happens to be the first.
        if (isNew)
        {
            using var flow = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
            _ = OpenAsync(queue, opened);
        }

        return opened;
    }

    private Opened Take(string queue, out bool isNew, out Opened[] idle)
    {
        idle = [];
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            isNew = !_opened.TryGetValue(queue, out var opened);
            if (opened is null)
                _opened[queue] = opened = new();
            opened.Enter(++_uses);
            if (isNew && _opened.Count > MostKept)
                idle = TakeIdle();
            return opened;
        }
    }

    // Who asks first may give up, and others still wait for it. What can't be opened is not kept. And it waits in nobody's context: who asked first may
    // hold up his own, and others wait for this too.
    private async Task OpenAsync(string queue, Opened opened)
    {
        try
        {
            opened.Succeed(await broker.OpenSenderAsync(queue, _end.Token).AsTask().ConfigureAwait(ConfigureAwaitOptions.None));
        }
        catch (OperationCanceledException) when (_end.IsCancellationRequested)
        {
            opened.Fail(new ObjectDisposedException(nameof(Senders)));
        }
        catch (Exception problem)
        {
            lock (_gate)
                _opened.Remove(queue);
            opened.Fail(problem);
        }
    }

    private Opened[] TakeIdle()
    {
        KeyValuePair<string, Opened>[] idle = [.. _opened.Where(one => one.Value.IsIdle).OrderBy(one => one.Value.LastUse).Take(_opened.Count - MostKept)];
        foreach (var one in idle)
            _opened.Remove(one.Key);
        return [.. idle.Select(one => one.Value)];
    }

    // What can't be closed is the broker's to end: no message and no other sender is to suffer for it.
    private static async Task CloseAsync(Opened opened)
    {
        try
        {
            var sender = await opened.Sender.ConfigureAwait(ConfigureAwaitOptions.None);
            await sender.DisposeAsync().AsTask().ConfigureAwait(ConfigureAwaitOptions.None);
        }
        catch (Exception)
        {
        }
    }

    /// <summary>A queue that is open for sending, or soon will be, and how many messages are being sent there.</summary>
    private sealed class Opened
    {
        private readonly TaskCompletionSource<ISender> _opening = new();
        private int _users;

        public Task<ISender> Sender => _opening.Task;

        public long LastUse { get; private set; }

        /// <summary>Whether it may be closed: asked where nobody can enter.</summary>
        public bool IsIdle => Volatile.Read(ref _users) == 0 && Sender.IsCompletedSuccessfully;

        public void Enter(long use)
        {
            LastUse = use;
            Interlocked.Increment(ref _users);
        }

        public void Succeed(ISender sender) => _opening.SetResult(sender);

        public void Fail(Exception problem) => _opening.SetException(problem);

        public void Leave() => Interlocked.Decrement(ref _users);
    }
}
