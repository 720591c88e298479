using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Samples.Library;

/// <summary>Collects an invoice. The till is jammed at times; then the invoice is tried again.</summary>
internal sealed class InvoiceHandler(Till till, Journal journal) : IHandler<Invoice>
{
    public async ValueTask<Settlement> HandleAsync(Invoice body, HeldMessage message, CancellationToken cancel)
    {
        if (message.Attempt == 1 && body.Order % 3 == 0)
            throw new InvalidOperationException("The till is jammed.");

        // The lease is renewed for as long as this takes, and the token tells if it is lost nevertheless.
        await Task.Delay(TimeSpan.FromMilliseconds(20), cancel);
        journal.Write("paid");
        till.Collect(body.Order, body.Amount, message.FencingToken);
        return Settlement.Complete;
    }
}
