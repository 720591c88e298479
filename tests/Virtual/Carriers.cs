using System.Collections.Concurrent;

namespace Holdfast.Virtual;

/// <summary>Real threads for virtual machines, used again and again: making one costs more than a short simulated life. Any thread.</summary>
public sealed class Carriers : IDisposable
{
    private readonly ConcurrentStack<Carrier> _idle = new();

    internal Carrier Take() => _idle.TryPop(out var idle) ? idle : new Carrier();

    internal void Return(Carrier carrier) => _idle.Push(carrier);

    public void Dispose()
    {
        while (_idle.TryPop(out var idle))
            idle.Dispose();
    }
}
