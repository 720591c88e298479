using Holdfast.Broker;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Holdfast.Consumer;

/// <summary>Says which broker is consumed, and who handles the messages of which queue.</summary>
public sealed class HoldfastBuilder
{
    internal HoldfastBuilder(IServiceCollection services) => Services = services;

    public IServiceCollection Services { get; }

    /// <summary>Names the broker. It is disposed with the host.</summary>
    public HoldfastBuilder UseBroker(Func<IServiceProvider, IBroker> broker)
    {
        Services.AddSingleton<IBroker>(services => new ObservedBroker(
            broker(services),
            services.GetRequiredService<HoldfastMeter>(),
            services.GetRequiredService<RootSampling>(),
            services.GetRequiredService<TimeProvider>()));
        return this;
    }

    /// <summary>Consumes a queue with a handler from a service scope of each message's own.</summary>
    public HoldfastBuilder Handle<THandler>(string queue, Action<QueueOptions>? configure = null)
        where THandler : class, IHandler
    {
        Services.TryAddScoped<THandler>();
        return Handle(queue, services => ScopedHandler.For<THandler>(services), configure);
    }

    /// <summary>Consumes a queue of JSON messages with a typed handler from a service scope of each message's own.</summary>
    public HoldfastBuilder Handle<THandler, T>(string queue, Action<QueueOptions>? configure = null)
        where THandler : class, IHandler<T>
    {
        Services.TryAddScoped<THandler>();
        return Handle(queue, services => ScopedHandler.For<THandler, T>(services), configure);
    }

    /// <summary>Consumes a queue with a function.</summary>
    public HoldfastBuilder Handle(string queue, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Action<QueueOptions>? configure = null) =>
        Handle(queue, _ => handle, configure);

    /// <summary>Consumes a queue with one handler for all its messages, which is made once and disposed with the host.</summary>
    public HoldfastBuilder Handle(string queue, Func<IServiceProvider, IHandler> handler, Action<QueueOptions>? configure = null)
    {
        Services.AddKeyedSingleton(queue, (services, _) => handler(services));
        return Handle(queue, services => services.GetRequiredKeyedService<IHandler>(queue).HandleAsync, configure);
    }

    private HoldfastBuilder Handle(
        string queue,
        Func<IServiceProvider, Func<HeldMessage, CancellationToken, ValueTask<Settlement>>> handler,
        Action<QueueOptions>? configure)
    {
        var options = new QueueOptions();
        configure?.Invoke(options);
        Services.AddSingleton(new QueueRegistration(queue, options, handler));
        return this;
    }
}
