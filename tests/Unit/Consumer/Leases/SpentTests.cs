using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Holdfast.Broker;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>What is done no longer counts among the bytes in flight, so it must not stay in memory for its lock's sake.</summary>
public sealed class SpentTests : IDisposable
{
    private const int Large = 1024 * 1024;

    private readonly KeeperByHand _hand = new();

    public void Dispose() => _hand.Dispose();

    [Theory]
    [InlineData(40, false, 0)]
    [InlineData(40, true, 0)]
    [InlineData(4, false, 4)]
    [InlineData(4, true, 4)]
    public void Large_messages_that_are_done_do_not_wait_for_the_end_of_their_locks(int messages, bool byProperties, int left)
    {
        var deliveries = HoldAndSettle(messages, byProperties);
        _hand.RunTo(0.2);
        GC.Collect();

        Assert.Equal(left, deliveries.Count(delivery => delivery.IsAlive));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference[] HoldAndSettle(int messages, bool byProperties)
    {
        var leases = Enumerable.Range(0, messages)
            .Select(i => _hand.Keeper.Hold(_hand.Book, new LargeDelivery($"{i}", byProperties, _hand.Time.GetTimestamp())))
            .ToArray();
        _hand.RunTo(0.1);
        foreach (var lease in leases)
        {
            Assert.True(_hand.Keeper.TryBeginSettling(lease));
            _hand.Keeper.Settled(lease);
        }

        return [.. leases.Select(lease => new WeakReference(lease.Delivery))];
    }

    private sealed class LargeDelivery : Delivery
    {
        [SetsRequiredMembers]
        public LargeDelivery(string id, bool byProperties, long at)
        {
            var large = new byte[Large];
            Message = byProperties ? new Message { Id = id, Properties = new Dictionary<string, object?> { ["large"] = large } } : new Message { Id = id, Body = large };
            DeliveryCount = 1;
            ArrivedAt = at;
            LockDuration = TimeSpan.FromMinutes(5);
        }
    }
}
