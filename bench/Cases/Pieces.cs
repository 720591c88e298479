using Holdfast.Broker;

namespace Holdfast.Bench;

/// <summary>A clock that moves by hand.</summary>
internal sealed class HandClock : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _ticks;

    public void Advance(TimeSpan by) => _ticks += by.Ticks;
}

/// <summary>A delivery with nothing to it.</summary>
internal sealed class BareDelivery : Delivery
{
    private static readonly Message s_message = new() { Id = "1" };

    public static BareDelivery At(TimeSpan arrival, TimeSpan lockDuration) =>
        new() { Message = s_message, DeliveryCount = 1, EnqueuedAt = default, ArrivedAt = arrival.Ticks, LockDuration = lockDuration };
}

/// <summary>A broker that renews whatever it is asked to, at once.</summary>
internal sealed class YesReceiver(int renewalBatch) : IReceiver
{
    public string Queue => "bench";

    public bool IsConnected => true;

    public int RenewalBatch => renewalBatch;

    public long Renewed { get; private set; }

    public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        Renewed += due.Length;
        outcomes.Span.Fill(Renewal.Renewed);
        return ValueTask.CompletedTask;
    }

    public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel) => throw new NotSupportedException();

    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel) => throw new NotSupportedException();

    public void LetGo(Delivery delivery)
    {
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
