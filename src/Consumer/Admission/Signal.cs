using System.Threading.Tasks.Sources;

namespace Holdfast.Consumer;

/// <summary>Wakes one waiter, on the thread that signals; a signal that nobody waits for is kept for the next one.</summary>
internal sealed class Signal : IValueTaskSource
{
    private const int Nothing = 0;
    private const int Signalled = 1;
    private const int Awaited = 2;

    private ManualResetValueTaskSourceCore<bool> _source;
    private int _state;

    public ValueTask WaitAsync()
    {
        if (Interlocked.CompareExchange(ref _state, Nothing, Signalled) == Signalled)
            return ValueTask.CompletedTask;

        _source.Reset();
        var wait = new ValueTask(this, _source.Version);
        if (Interlocked.CompareExchange(ref _state, Awaited, Nothing) == Nothing)
            return wait;

        Volatile.Write(ref _state, Nothing);
        return ValueTask.CompletedTask;
    }

    public void Set()
    {
        if (Interlocked.CompareExchange(ref _state, Signalled, Nothing) == Awaited
            && Interlocked.CompareExchange(ref _state, Nothing, Awaited) == Awaited)
            _source.SetResult(true);
    }

    void IValueTaskSource.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
