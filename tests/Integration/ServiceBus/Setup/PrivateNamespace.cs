using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>A Service Bus of one test's own, with one queue. Where there is none, the test is skipped; but where CI is true it fails, for there nobody would notice.</summary>
internal sealed class PrivateNamespace : IAsyncDisposable
{
    public const string Queue = "orders";

    private PrivateNamespace(ServiceBusServer server) => Server = server;

    public ServiceBusServer Server { get; }

    public ServiceBusControl Control => Server.Control;

    public static async Task<PrivateNamespace> StartAsync(QueueSettings? settings = null, ServiceBusServerOptions? options = null)
    {
        if (!ServiceBusServer.IsInstalled && Environment.GetEnvironmentVariable("CI") == "true")
            Assert.Fail(ServiceBusServer.HowToInstall);
        Assert.SkipUnless(ServiceBusServer.IsInstalled, ServiceBusServer.HowToInstall);

        var server = await ServiceBusServer.StartAsync(options);
        await server.Control.PutQueueAsync(Queue, settings ?? new QueueSettings { LockDuration = TimeSpan.FromSeconds(20) });
        return new PrivateNamespace(server);
    }

    public ServiceBusBroker NewBroker(bool? sessions = null, string? sessionId = null, int maxSessions = 8, double idleSeconds = 5, int? port = null, TimeProvider? time = null) => new(new ServiceBusBrokerOptions
    {
        ConnectionString = Server.ConnectionString(port: port),
        Sessions = sessions,
        SessionId = sessionId,
        MaxSessions = maxSessions,
        SessionIdleTime = TimeSpan.FromSeconds(idleSeconds),
        TimeProvider = time ?? TimeProvider.System,
    });

    public ValueTask DisposeAsync() => Server.DisposeAsync();
}
