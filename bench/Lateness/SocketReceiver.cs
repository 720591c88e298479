using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Bench;

/// <summary>A broker behind a socket; notes when each renewal is sent.</summary>
internal sealed class SocketReceiver(RenewalClient client, Clock clock, int renewalBatch) : IReceiver
{
    public string Queue => "bench";

    public bool IsConnected => true;

    public int RenewalBatch => renewalBatch;

    public async ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        foreach (var delivery in due.Span)
            ((HeldDelivery)delivery).Log.Asked(clock.Now);
        await client.RenewAsync().ConfigureAwait(false);
        outcomes.Span.Fill(Renewal.Renewed);
    }

    public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel) => throw new NotSupportedException();

    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel) => throw new NotSupportedException();

    public void LetGo(Delivery delivery)
    {
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
