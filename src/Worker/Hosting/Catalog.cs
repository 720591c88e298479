using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Broker.RabbitMq;
using Holdfast.Broker.ServiceBus;
using Holdfast.Consumer;
using Holdfast.Worker.Demo;
using Holdfast.Worker.Exec;
using Holdfast.Worker.Http;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Hosting;

/// <summary>The brokers and handlers that exist, by the names people choose them by.</summary>
internal static partial class Catalog
{
    public static readonly IReadOnlyDictionary<string, Func<IServiceProvider, IBroker>> Brokers = AllBrokers();

    /// <summary>Those kinds of brokers that a person can ask from another process.</summary>
    public static readonly IReadOnlyDictionary<string, Func<IServiceProvider, IBrokerDesk>> Desks =
        new Dictionary<string, Func<IServiceProvider, IBrokerDesk>>(StringComparer.OrdinalIgnoreCase)
        {
            ["RabbitMq"] = services => new RabbitMqDesk(Settings(services).RabbitMq(Time(services))),
            ["ServiceBus"] = services => new ServiceBusDesk(Settings(services).ServiceBus(Time(services))),
        };

    public static readonly IReadOnlyDictionary<string, Action<HoldfastBuilder, QueueSettings>> Handlers =
        new Dictionary<string, Action<HoldfastBuilder, QueueSettings>>(StringComparer.OrdinalIgnoreCase)
        {
            ["Demo"] = (builder, queue) => builder.Handle(queue.Handling.Queue, services => new DemoHandler(queue.Handling.Demo, Time(services)), queue.Apply),
            ["Http"] = (builder, queue) => builder.Handle(queue.Handling.Queue, services => new HttpHandler(queue.Handling.Queue, queue.Handling.Http, queue.Options.Retry.MaxDelay, Time(services)), queue.Apply),
            ["Exec"] = ExecHandler.Add,
        };

    private static Dictionary<string, Func<IServiceProvider, IBroker>> AllBrokers()
    {
        var brokers = new Dictionary<string, Func<IServiceProvider, IBroker>>(StringComparer.OrdinalIgnoreCase)
        {
            ["InMemory"] = InMemory,
            ["RabbitMq"] = services => new RabbitMqBroker(Settings(services).RabbitMq(Time(services))),
            ["ServiceBus"] = services => new ServiceBusBroker(Settings(services).ServiceBus(Time(services))),
        };
        AddOfficial(brokers);
        return brokers;
    }

    /// <summary>Adds those that need the official packages, where the build has those; elsewhere nothing.</summary>
    static partial void AddOfficial(Dictionary<string, Func<IServiceProvider, IBroker>> brokers);

    private static InMemoryBroker InMemory(IServiceProvider services)
    {
        var options = Settings(services).Worker.InMemory;
        return new InMemoryBroker(new InMemoryBrokerOptions
        {
            LockDuration = options.LockDuration,
            MaxDeliveries = options.MaxDeliveries,
            TimeProvider = Time(services),
        });
    }

    private static WorkerSettings Settings(IServiceProvider services) => services.GetRequiredService<WorkerSettings>();

    private static TimeProvider Time(IServiceProvider services) => services.GetRequiredService<TimeProvider>();
}
