using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>How often a sweep renews what it holds.</summary>
public sealed class LockKeeperTests : IReceiver
{
    private readonly VirtualTime _time = new();
    private readonly List<double> _renewedAt = [];
    private TimeSpan _lock = TimeSpan.FromSeconds(60);

    public string Queue => "orders";

    public bool IsConnected => true;

    public int RenewalBatch => 10;

    [Fact]
    public async Task Three_times_in_a_lock_also_once_that_has_become_shorter()
    {
        await using var keeper = new LockKeeper(this, _time);
        keeper.Hold(new Held(this));

        Pass(40);
        _lock = TimeSpan.FromSeconds(9);
        Pass(27);

        Assert.Equal([20, 40, 60, 63, 66], _renewedAt);
    }

    public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        _renewedAt.Add(_time.Elapsed.TotalSeconds);
        return ValueTask.CompletedTask;
    }

    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel) => new(true);

    public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel) => throw new NotSupportedException();

    void IReceiver.LetGo(Delivery delivery) => throw new NotSupportedException();

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private void Pass(int seconds)
    {
        for (var second = 0; second < seconds; second++)
            _time.Advance(TimeSpan.FromSeconds(1));
    }

    private sealed class Held : Delivery
    {
        private readonly LockKeeperTests _broker;

        [SetsRequiredMembers]
        public Held(LockKeeperTests broker) => (Message, _broker) = (new Message { Id = "a" }, broker);

        public override required TimeSpan LockDuration
        {
            get => _broker._lock;
            init => _ = value;
        }
    }
}
