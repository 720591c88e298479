using System.Text;
using RabbitMQ.Client;
using Testcontainers.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>The server in a container of Testcontainers.</summary>
public sealed partial class RabbitServer
{
    private const string Image = "rabbitmq:4-management";
    private const string User = "tester";

    partial void UseTestcontainer(ref Task<bool> isUp) => isUp = StartTestcontainerAsync();

    private async Task<bool> StartTestcontainerAsync()
    {
        var password = $"{Guid.NewGuid():N}";
        var (container, whyNot) = await Official.Engine.StartAsync(
            () => new RabbitMqBuilder(Image).WithUsername(User).WithPassword(password).WithEnvironment("RABBITMQ_LOGS", "-").Build(),
            container => container.StartAsync());
        if (container is null)
        {
            TestContext.Current.SendDiagnosticMessage($"RabbitMQ: {whyNot}");
            return false;
        }

        // Only its AMQP port is published. Its own address, where its management API answers on this machine, it tells as the name of its cluster.
        await container.ExecAsync(["sh", "-c", "rabbitmqctl set_cluster_name \"$(hostname -i)\""]);
        Use(container.GetConnectionString(), $"http://{User}:{password}@{await ClusterNameAsync(container.GetConnectionString())}:15672");
        if (await Management.AnswersAsync())
        {
            _stopContainer = container.DisposeAsync;
            return true;
        }

        await container.DisposeAsync();
        return false;
    }

    private static async Task<string> ClusterNameAsync(string uri)
    {
        await using var connection = await new ConnectionFactory { Uri = new Uri(uri) }.CreateConnectionAsync();
        return Encoding.UTF8.GetString((byte[])connection.ServerProperties!["cluster_name"]!).Split(' ')[0];
    }
}
