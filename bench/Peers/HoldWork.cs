namespace Holdfast.Bench;

/// <summary>Handlers that never end, for as long as their leases are looked at.</summary>
internal sealed class HoldWork : IWork
{
    private int _begun;

    public async ValueTask HandleAsync(int number, long sentAt)
    {
        Interlocked.Increment(ref _begun);
        await Task.Delay(Timeout.Infinite);
    }

    public Finding Wait(TimeSpan limit)
    {
        Thread.Sleep(limit);
        return new() { Handled = _begun };
    }
}
