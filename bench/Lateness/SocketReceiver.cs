using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;

namespace Holdfast.Bench;

/// <summary>A broker behind a socket; notes how late each renewal is sent.</summary>
internal sealed class SocketReceiver(RenewalClient client, Clock clock, int renewalBatch) : IReceiver
{
    public ConcurrentQueue<TimeSpan> Lateness { get; } = new();

    public string Queue => "bench";

    public bool IsConnected => true;

    public int RenewalBatch => renewalBatch;

    public async ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        foreach (var delivery in due.Span)
            Lateness.Enqueue(clock.Now - ((HeldDelivery)delivery).Lease!.RenewAt);
        await client.RenewAsync().ConfigureAwait(false);
        outcomes.Span.Fill(Renewal.Renewed);
    }

    public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel) => throw new NotSupportedException();

    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel) => throw new NotSupportedException();

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}

/// <summary>A delivery that knows the lease it is held by.</summary>
internal sealed class HeldDelivery : Delivery
{
    [SetsRequiredMembers]
    public HeldDelivery(int number, long arrivedAt, TimeSpan lockDuration)
    {
        Message = new Message { Id = $"{number}" };
        DeliveryCount = 1;
        ArrivedAt = arrivedAt;
        LockDuration = lockDuration;
    }

    public Lease? Lease { get; set; }
}
