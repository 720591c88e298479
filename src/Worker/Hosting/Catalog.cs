using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;
using Holdfast.Worker.Demo;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Hosting;

/// <summary>The brokers and handlers that exist, by the names people choose them by.</summary>
internal static class Catalog
{
    public static readonly IReadOnlyDictionary<string, Func<IServiceProvider, IBroker>> Brokers =
        new Dictionary<string, Func<IServiceProvider, IBroker>>(StringComparer.OrdinalIgnoreCase)
        {
            ["InMemory"] = InMemory,
            ["RabbitMq"] = RabbitMq,
        };

    public static readonly IReadOnlyDictionary<string, Action<HoldfastBuilder, WorkerSettings>> Handlers =
        new Dictionary<string, Action<HoldfastBuilder, WorkerSettings>>(StringComparer.OrdinalIgnoreCase)
        {
            ["Demo"] = (builder, settings) => builder.Handle<DemoHandler>(settings.Worker.Queue, settings.Apply),
        };

    private static InMemoryBroker InMemory(IServiceProvider services)
    {
        var options = services.GetRequiredService<WorkerOptions>().InMemory;
        return new InMemoryBroker(new InMemoryBrokerOptions
        {
            LockDuration = options.LockDuration,
            MaxDeliveries = options.MaxDeliveries,
            TimeProvider = services.GetRequiredService<TimeProvider>(),
        });
    }

    private static RabbitMqBroker RabbitMq(IServiceProvider services) =>
        new(services.GetRequiredService<WorkerSettings>().BrokerOptions(services.GetRequiredService<TimeProvider>()));
}
