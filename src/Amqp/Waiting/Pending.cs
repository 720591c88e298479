using System.Threading.Tasks.Sources;

namespace Holdfast.Amqp;

/// <summary>
/// What one operation waits for, awaited once. It is set behind the connection's gate and released outside; who awaits it goes on right there,
/// and who comes too late goes on where it is: nothing ever takes a detour by the thread pool.
/// </summary>
internal class Pending<T>(Gate gate) : IValueTaskSource<T>, IValueTaskSource, IDue
{
    private static readonly Action<object?> s_released = static _ => { };

    private Action<object?>? _continuation;
    private object? _state;
    private object? _scheduling;
    private ExecutionContext? _flow;
    private CancellationTokenRegistration _callOff;
    private T? _result;
    private Exception? _failure;

    /// <summary>Behind the gate.</summary>
    public bool IsSet { get; private set; }

    /// <summary>Behind the gate. Nothing where it was called off before.</summary>
    public void Set(T result)
    {
        if (TryEnd())
            _result = result;
    }

    /// <summary>Behind the gate. Nothing where it was called off before.</summary>
    public void Fail(Exception failure)
    {
        if (TryEnd())
            _failure = failure;
    }

    /// <summary>Behind the gate: nobody waits for it any longer. Nothing where it has ended before.</summary>
    public void CallOff(CancellationToken cancel)
    {
        if (IsSet)
            return;
        Fail(new OperationCanceledException(cancel));
        OnCalledOff();
    }

    /// <summary>Outside the gate.</summary>
    public ValueTask<T> WaitAsync(CancellationToken cancel)
    {
        Heed(cancel);
        return new ValueTask<T>(this, 0);
    }

    /// <summary>Outside the gate, where only the end matters.</summary>
    public ValueTask WaitToEndAsync(CancellationToken cancel)
    {
        Heed(cancel);
        return new ValueTask(this, 0);
    }

    public void Release()
    {
        if (Interlocked.Exchange(ref _continuation, s_released) is not { } continuation)
            return;
        if (_flow is null)
            Invoke(continuation);
        else
            ExecutionContext.Run(_flow, static call => { var (pending, next) = ((Pending<T>, Action<object?>))call!; pending.Invoke(next); }, (this, continuation));
    }

    public ValueTaskSourceStatus GetStatus(short token) =>
        Volatile.Read(ref _continuation) != s_released ? ValueTaskSourceStatus.Pending
        : _failure is null ? ValueTaskSourceStatus.Succeeded
        : _failure is OperationCanceledException ? ValueTaskSourceStatus.Canceled
        : ValueTaskSourceStatus.Faulted;

    public T GetResult(short token)
    {
        _callOff.Unregister();
        if (GetStatus(token) == ValueTaskSourceStatus.Pending)
            throw new InvalidOperationException("It has not ended yet; await it.");
        return _failure is null ? _result! : throw Anew(_failure);
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        _state = state;
        if ((flags & ValueTaskSourceOnCompletedFlags.FlowExecutionContext) != 0)
            _flow = ExecutionContext.Capture();
        if ((flags & ValueTaskSourceOnCompletedFlags.UseSchedulingContext) != 0)
            _scheduling = Scheduling();
        if (Interlocked.CompareExchange(ref _continuation, continuation, null) is null)
            return;
        if (_continuation != s_released)
            throw new InvalidOperationException("It can be awaited only once.");
        continuation(state);
    }

    /// <summary>Behind the gate: the operation was called off, which is for its owner to know.</summary>
    protected virtual void OnCalledOff()
    {
    }

    private static object? Scheduling() =>
        SynchronizationContext.Current is { } context && context.GetType() != typeof(SynchronizationContext) ? context
        : TaskScheduler.Current != TaskScheduler.Default ? TaskScheduler.Current
        : null;

    // One failure ends many operations, each of which throws it on a thread of its own.
    private static Exception Anew(Exception failure) => failure is AmqpException ended ? ended.Again() : failure;

    private void Heed(CancellationToken cancel)
    {
        if (cancel.CanBeCanceled)
            _callOff = cancel.UnsafeRegister(static (pending, token) => ((Pending<T>)pending!).OnCancelled(token), this);
    }

    private bool TryEnd()
    {
        if (IsSet)
            return false;
        IsSet = true;
        gate.Add(this);
        return true;
    }

    private void OnCancelled(CancellationToken cancel)
    {
        using (gate.Enter())
            CallOff(cancel);
    }

    private void Invoke(Action<object?> continuation)
    {
        switch (_scheduling)
        {
            case SynchronizationContext context:
                context.Post(new SendOrPostCallback(continuation), _state);
                break;
            case TaskScheduler scheduler:
                Task.Factory.StartNew(continuation, _state, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);
                break;
            default:
                continuation(_state);
                break;
        }
    }
}
