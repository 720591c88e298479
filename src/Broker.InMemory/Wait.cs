using System.Threading.Tasks.Sources;

namespace Holdfast.Broker.InMemory;

/// <summary>A receive that waits for its first message; used again by its receiver.</summary>
internal sealed class Wait(InMemoryReceiver receiver) : IValueTaskSource<int>
{
    private ManualResetValueTaskSourceCore<int> _core;
    private CancellationTokenRegistration _registration;
    private CancellationToken _cancel;
    private Exception? _failure;
    private int _taken;

    public InMemoryReceiver Receiver { get; } = receiver;

    public Memory<Delivery> Room { get; private set; }

    public void Begin(Memory<Delivery> room) => Room = room;

    /// <summary>Starts to heed the token; only now, outside the queue's lock, for the token may have been cancelled already.</summary>
    public ValueTask<int> HeedAsync(CancellationToken cancel)
    {
        _cancel = cancel;
        _registration = cancel.UnsafeRegister(static wait => ((Wait)wait!).CallOff(), this);
        return new ValueTask<int>(this, _core.Version);
    }

    public void End(int taken)
    {
        _taken = taken;
        Completions.Add(this);
    }

    public void End(Exception failure)
    {
        _failure = failure;
        Completions.Add(this);
    }

    public void Complete()
    {
        if (_failure is null)
            _core.SetResult(_taken);
        else
            _core.SetException(_failure);
    }

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    int IValueTaskSource<int>.GetResult(short token)
    {
        // A cancellation on its way now must not hit whoever uses this object next.
        _registration.Dispose();
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            _core.Reset();
            (Room, _failure) = (default, null);
            Receiver.Recycle(this);
        }
    }

    private void CallOff() => Receiver.Store.CallOff(this, new OperationCanceledException(_cancel));
}
