using System.Threading.Tasks.Sources;

namespace Holdfast.Broker.InMemory;

/// <summary>
/// A while on the broker's clock. Unlike Task.Delay it always goes on where the clock was moved or the token cancelled,
/// never on the thread pool, so that a simulation can run slow operations in a fixed order.
/// </summary>
internal sealed class Pause : IValueTaskSource
{
    private readonly CancellationToken _cancel;
    private readonly ITimer _timer;
    private readonly CancellationTokenRegistration _registration;
    private ManualResetValueTaskSourceCore<bool> _core;
    private int _ended;

    private Pause(TimeProvider time, TimeSpan length, CancellationToken cancel)
    {
        _cancel = cancel;
        _timer = time.CreateTimer(static pause => ((Pause)pause!).End(null), this, length, Timeout.InfiniteTimeSpan);
        _registration = cancel.UnsafeRegister(static pause => ((Pause)pause!).CallOff(), this);
    }

    public static ValueTask Start(TimeProvider time, TimeSpan length, CancellationToken cancel)
    {
        if (length == TimeSpan.Zero)
            return ValueTask.CompletedTask;
        var pause = new Pause(time, length, cancel);
        return new ValueTask(pause, pause._core.Version);
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.GetResult(short token)
    {
        _timer.Dispose();
        _registration.Dispose();
        _core.GetResult(token);
    }

    private void CallOff() => End(new OperationCanceledException(_cancel));

    private void End(Exception? failure)
    {
        if (Interlocked.Exchange(ref _ended, 1) != 0)
            return;
        if (failure is null)
            _core.SetResult(true);
        else
            _core.SetException(failure);
    }
}
