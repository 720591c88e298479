using System.Runtime.CompilerServices;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>
/// What a Pump waits for before it asks its broker: a turn on the Receive lane, which comes when no thread has anything better to do.
/// What threads have to do without end may be another queue's; whoever sees that has the turn come at once. One waiter at a time: the Pump.
/// </summary>
internal sealed class ReceiveTurn : ICriticalNotifyCompletion
{
    // Long beside the turns that are handled well, short beside what a person waits for.
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(250);

    private readonly LaneScheduler _lanes;
    private readonly Action _onReceive;
    private readonly Action _onLease;
    private Action? _rest;
    private long _since;
    private int _isPosted;

    public ReceiveTurn(LaneScheduler lanes)
    {
        _lanes = lanes;
        _onLease = Come;
        _onReceive = () =>
        {
            Interlocked.Exchange(ref _isPosted, 0);
            Come();
        };
    }

    public bool IsCompleted => false;

    /// <summary>Whether somebody has waited for it for long.</summary>
    public bool IsOverdue(TimeSpan now) => Volatile.Read(ref _rest) is not null && now.Ticks - Volatile.Read(ref _since) > s_patience.Ticks;

    /// <summary>Has it come before all that merely waits to be handled.</summary>
    public void Hasten()
    {
        Volatile.Write(ref _since, _lanes.Clock.Now.Ticks);
        _lanes.Turn(Lane.Lease).UnsafeOnCompleted(_onLease);
    }

    public ReceiveTurn GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation)
    {
        Volatile.Write(ref _since, _lanes.Clock.Now.Ticks);
        Volatile.Write(ref _rest, continuation);

        // Where a turn was hastened, its place in the Receive lane is still there, and serves the next one.
        if (Interlocked.Exchange(ref _isPosted, 1) == 0)
            _lanes.Turn(Lane.Receive).UnsafeOnCompleted(_onReceive);
    }

    private void Come() => Interlocked.Exchange(ref _rest, null)?.Invoke();
}
