using System.Text;
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
            // In the names that JSON has elsewhere: most senders are no .NET programs.
            var body = Encoding.UTF8.GetBytes($$"""{"number":{{number}},"amount":{{10 * number}}}""");
            await senders.SendAsync("orders", new Message { Id = $"order-{number}", Body = body }, cancel: stoppingToken);
        }
    }
}
