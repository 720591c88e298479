using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Consumer;

/// <summary>
/// The engine for whoever asks the host's services for it. It is there before the engine is, so that what is made for the engine, such as a handler that looks
/// at its state, may have it; and it still tells of the engine when the host is disposed of.
/// </summary>
internal sealed class EngineFront(IServiceProvider services) : IEngine
{
    private EngineHost? _engine;
    private int _builder;

    public EngineStatus Status => Engine.Status;

    public IReadOnlyList<LeaseMiss> LastMisses => Engine.LastMisses;

    private EngineHost Engine => _engine ?? services.GetRequiredService<EngineHost>();

    public LeaseSnapshot Leases(int most) => Engine.Leases(most);

    /// <summary>For the host's services, which ask once, and hold up all other threads that ask meanwhile.</summary>
    public EngineHost Build()
    {
        if (_builder == Environment.CurrentManagedThreadId)
            throw new InvalidOperationException("The engine is asked for its state by what it is still being built from: a factory of a handler, a middleware, a broker or a store may keep the IEngine, and it may be used once all of these are made.");

        _builder = Environment.CurrentManagedThreadId;
        try
        {
            return _engine = ActivatorUtilities.CreateInstance<EngineHost>(services);
        }
        finally
        {
            _builder = 0;
        }
    }
}
