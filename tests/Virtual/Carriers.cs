using System.Collections.Concurrent;

namespace Holdfast.Virtual;

/// <summary>Real threads for virtual machines, used again and again: making one costs more than a short simulated life. Any thread.</summary>
/// <param name="core">Where they all stay; null where they may run anywhere.</param>
public sealed class Carriers(int? core = null) : IDisposable
{
    private readonly ConcurrentStack<Carrier> _idle = new();

    internal Carrier Take() => _idle.TryPop(out var idle) ? idle : new Carrier(core);

    internal void Return(Carrier carrier) => _idle.Push(carrier);

    public void Dispose()
    {
        while (_idle.TryPop(out var idle))
            idle.Dispose();
    }
}
