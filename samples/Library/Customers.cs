using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Consumer;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Samples.Library;

/// <summary>Orders ten times, and once what nobody can read.</summary>
internal sealed class Customers(Senders senders) : BackgroundService
{
    public const int Orders = 10;

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        await senders.SendAsync("orders", new Message { Id = "scribble", Body = "Ten of those, please!"u8.ToArray() }, cancel: stoppingToken);
        for (var number = 1; number <= Orders; number++)
        {
            var body = JsonSerializer.SerializeToUtf8Bytes(new Order(number, 10 * number), Json.Default.Order);
            await senders.SendAsync("orders", new Message { Id = $"order-{number}", Body = body }, cancel: stoppingToken);
        }
    }
}
