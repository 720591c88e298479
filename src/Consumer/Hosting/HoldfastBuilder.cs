using Holdfast.Broker;
using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Consumer;

/// <summary>Says which broker is consumed, and who handles the messages of which queue.</summary>
public sealed class HoldfastBuilder
{
    internal HoldfastBuilder(IServiceCollection services) => Services = services;

    public IServiceCollection Services { get; }

    /// <summary>Names the broker. It is disposed with the host.</summary>
    public HoldfastBuilder UseBroker(Func<IServiceProvider, IBroker> broker)
    {
        Services.AddSingleton(broker);
        return this;
    }

    /// <summary>Consumes a queue with a handler of its own scope for each message.</summary>
    public HoldfastBuilder Handle<THandler>(string queue, Action<QueueOptions>? configure = null)
        where THandler : class, IHandler => throw new NotImplementedException();

    /// <summary>Consumes a queue of JSON messages with a typed handler of its own scope for each message.</summary>
    public HoldfastBuilder Handle<THandler, T>(string queue, Action<QueueOptions>? configure = null)
        where THandler : class, IHandler<T> => throw new NotImplementedException();

    /// <summary>Consumes a queue with a function.</summary>
    public HoldfastBuilder Handle(string queue, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Action<QueueOptions>? configure = null) =>
        throw new NotImplementedException();
}
