namespace Holdfast.Tests.Servers;

/// <summary>What becomes of the bytes that go one way, now.</summary>
internal sealed class Flow
{
    private readonly Lock _gate = new();
    private TaskCompletionSource _moves = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private FlowState _state;

    public FlowState State
    {
        get
        {
            lock (_gate)
                return _state;
        }

        set
        {
            lock (_gate)
            {
                _state = value;
                if (value == FlowState.Stalled)
                    _moves = new(TaskCreationOptions.RunContinuationsAsynchronously);
                else
                    _moves.TrySetResult();
            }
        }
    }

    /// <summary>Waits while it is stalled, and tells what holds then.</summary>
    public async Task<FlowState> MovesAsync(CancellationToken cancel)
    {
        while (true)
        {
            Task moves;
            lock (_gate)
            {
                if (_state != FlowState.Stalled)
                    return _state;
                moves = _moves.Task;
            }

            await moves.WaitAsync(cancel);
        }
    }
}
