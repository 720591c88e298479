namespace Holdfast.Virtual;

/// <summary>What virtual threads wait for: each signal lets one of them go, the first that waits; one that finds nobody is kept for the next.</summary>
public sealed class VirtualSignal(VirtualMachine machine)
{
    private readonly LinkedList<Waiter> _waiting = new();
    private bool _isSet;

    public void Set()
    {
        if (_waiting.First is not { } first)
        {
            _isSet = true;
            return;
        }

        _waiting.Remove(first);
        first.Value.IsSignalled = true;
        first.Value.Thread.Unblock();
    }

    /// <summary>Occupies the calling virtual thread, and no core, until the signal; false if it does not come within that time.</summary>
    public bool Wait(TimeSpan? atMost = null)
    {
        var waiter = new Waiter(machine.Caller());
        if (_isSet)
        {
            _isSet = false;
            return true;
        }

        waiter.Thread.OnSleep?.Invoke();
        _waiting.AddLast(waiter);
        using var timer = atMost is { } most
            ? machine.Time.CreateTimer(_ => GiveUp(waiter), null, most, Timeout.InfiniteTimeSpan)
            : null;
        try
        {
            machine.Block(waiter.Thread);
            return waiter.IsSignalled;
        }
        finally
        {
            _waiting.Remove(waiter);
        }
    }

    private void GiveUp(Waiter waiter)
    {
        if (_waiting.Remove(waiter))
            waiter.Thread.Unblock();
    }

    private sealed class Waiter(VirtualThread thread)
    {
        public VirtualThread Thread { get; } = thread;

        public bool IsSignalled { get; set; }
    }
}
