using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Broker.ServiceBus;
using Holdfast.Consumer;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Bench;

/// <summary>Holdfast in a .NET host, with as many messages at once as the others prefetch, unless it may take fewer; on RabbitMQ with a renewal of each lease each second.</summary>
internal sealed class HoldfastClient
{
    private static readonly TimeSpan s_renewEvery = TimeSpan.FromSeconds(1);

    private readonly LeaseBeat _leases = new();
    private readonly IEngine _engine;
    private readonly IBroker _broker;

    private HoldfastClient(IEngine engine, IBroker broker) => (_engine, _broker) = (engine, broker);

    public static async Task<HoldfastClient> StartAsync(Assignment assignment, IWork work)
    {
        var broker = Broker(assignment);
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.Services
            .AddHoldfast()
            .UseBroker(_ => broker)
            .Handle(assignment.Queue, (message, _) => HandleAsync(message, work), queue =>
            {
                queue.MaxConcurrency = assignment.Prefetch;
                queue.Admission = assignment.Admission;
                if (assignment.ServiceBus is null)
                    queue.Lease.RenewAfter = RenewAfter(assignment);
            });
        var host = builder.Build();
        var client = new HoldfastClient(host.Services.GetRequiredService<IEngine>(), broker);
        await host.StartAsync();
        while (!client.Queue.IsConnected)
        {
            if (client._engine.Status.Fault is { } fault)
                throw new InvalidOperationException(fault);
            await Task.Delay(1);
        }

        return client;
    }

    /// <summary>Adds what only the engine knows.</summary>
    public Finding Complete(Finding found) => found with
    {
        LeaseLateness = _leases.Lateness(),
        GivenBack = (_broker as RabbitMqBroker)?.GivenBack(Queue.Queue),
        Missed = Queue.Misses,
    };

    private QueueStatus Queue => _engine.Status.Queues[0];

    private static IBroker Broker(Assignment assignment) => assignment.ServiceBus is { } connection
        ? new ServiceBusBroker(new ServiceBusBrokerOptions { ConnectionString = connection })
        : new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = RabbitTarget.Uri, Heartbeat = assignment.Heartbeat });

    private static async ValueTask<Settlement> HandleAsync(HeldMessage message, IWork work)
    {
        var (number, sentAt) = Letter.Read(message.Body.Span);
        await work.HandleAsync(number, sentAt);
        return Settlement.Complete;
    }

    // A lease lasts for two heartbeats on RabbitMQ. Where those are far apart, as often as may be set.
    private static double RenewAfter(Assignment assignment) => Math.Max(0.1, s_renewEvery / (2 * assignment.Heartbeat));
}
