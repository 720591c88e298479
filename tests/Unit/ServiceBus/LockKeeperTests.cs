using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>How often a sweep renews what it holds, and what becomes of that.</summary>
public sealed class LockKeeperTests : IReceiver
{
    private readonly VirtualTime _time = new();
    private readonly List<double> _renewedAt = [];
    private readonly List<(Delivery Delivery, Settlement Settlement)> _settled = [];
    private TimeSpan _lock = TimeSpan.FromSeconds(60);
    private bool _fails;

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

    [Fact]
    public async Task A_renewal_that_fails_is_tried_again()
    {
        _fails = true;
        await using var keeper = new LockKeeper(this, _time);
        keeper.Hold(new Held(this));

        Pass(40);

        Assert.Equal([20, 40], _renewedAt);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_is_held_in_the_end_is_given_back_as_far_as_the_broker_can_be_told(bool fails)
    {
        _fails = fails;
        var (left, done, alsoLeft) = (new Held(this), new Held(this), new Held(this));
        await using (var keeper = new LockKeeper(this, _time))
        {
            foreach (var held in (Held[])[left, done, alsoLeft])
                keeper.Hold(held);
            keeper.Release(done);
        }

        Assert.Equal(2, _settled.Count);
        Assert.Equal(new HashSet<Delivery> { left, alsoLeft }, [.. _settled.Select(settled => settled.Delivery)]);
        Assert.All(_settled, settled => Assert.Equal(SettlementKind.Abandon, settled.Settlement.Kind));
    }

    public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        _renewedAt.Add(_time.Elapsed.TotalSeconds);
        return _fails ? throw new BrokerException("busy", isTransient: true) : ValueTask.CompletedTask;
    }

    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
    {
        _settled.Add((delivery, settlement));
        return _fails ? throw new BrokerException("busy", isTransient: true) : new(true);
    }

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
