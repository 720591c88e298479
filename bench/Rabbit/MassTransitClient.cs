using Holdfast.Broker.RabbitMq;
using MassTransit;

namespace Holdfast.Bench;

/// <summary>MassTransit with the least it can do for a message: no envelope, no topology, no retries, a handler that is a function.</summary>
internal static class MassTransitClient
{
    public static async Task StartAsync(Assignment assignment, IWork work)
    {
        var uri = new UriBuilder(RabbitTarget.Uri);
        var bus = Bus.Factory.CreateUsingRabbitMq(configure =>
        {
            configure.Host(uri.Host, (ushort)uri.Port, Uri.UnescapeDataString(uri.Path[1..]), host =>
            {
                host.Username(Uri.UnescapeDataString(uri.UserName));
                host.Password(Uri.UnescapeDataString(uri.Password));
                host.Heartbeat(assignment.Heartbeat);
            });
            configure.ReceiveEndpoint(assignment.Queue, endpoint =>
            {
                if (assignment.QueueType == QueueType.Quorum)
                    endpoint.SetQuorumQueue();
                endpoint.ConfigureConsumeTopology = false;
                endpoint.PrefetchCount = assignment.Prefetch;
                endpoint.ClearSerialization();
                endpoint.UseRawJsonSerializer(RawSerializerOptions.AnyMessageType, isDefault: true);
                endpoint.Handler<Letter>(context => work.HandleAsync(context.Message.Number, context.Message.SentAt).AsTask());
            });
        });
        await bus.StartAsync();
    }
}
