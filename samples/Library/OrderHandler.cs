using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Samples.Library;

/// <summary>Takes an order, and publishes its invoice: that is sent once the order is taken, and before its message is completed.</summary>
internal sealed class OrderHandler(Journal journal) : IHandler<Order>
{
    public ValueTask<Settlement> HandleAsync(Order body, HeldMessage message, CancellationToken cancel)
    {
        if (body.Amount <= 0)
            return new(Settlement.DeadLetter("worthless", $"Order {body.Number} is of {body.Amount}."));

        journal.Write($"taken, of {body.Amount}");
        var invoice = JsonSerializer.SerializeToUtf8Bytes(new Invoice(body.Number, body.Amount), Json.Default.Invoice);

        // Named after what it comes of, so that it has the same name if this message is ever handled twice.
        message.Publish("invoices", new Message { Id = $"invoice-of-{message.Id}", Body = invoice, ContentType = "application/json" });
        return new(Settlement.Complete);
    }
}
