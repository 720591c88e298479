using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Unit.Amqp.Links;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>Settlements that wait for their link's answer, and for how long they may.</summary>
public sealed class LinkPatienceTests : IAsyncLifetime
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan s_tick = TimeSpan.FromTicks(1);

    private readonly VirtualTime _time = new();
    private readonly LinkPatience _link;
    private ReceiverByHand _peer = null!;

    public LinkPatienceTests() => _link = new(_time);

    public async ValueTask InitializeAsync()
    {
        _peer = await ReceiverByHand.OpenAsync(credit: 3);
        for (var i = 0; i < 3; i++)
            _peer.Transfer(1);
    }

    public ValueTask DisposeAsync()
    {
        _peer.Peer.Break();
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task Each_is_given_up_at_its_own_time_whatever_became_of_those_before_it()
    {
        var answered = Settle(0);
        _time.Advance(TimeSpan.FromSeconds(1));
        var second = Settle(1);
        _time.Advance(TimeSpan.FromSeconds(1));
        var third = Settle(2);
        _peer.Say(0, null, Accepted.Instance);
        Assert.IsType<Accepted>(await answered);

        _time.Advance(s_patience - TimeSpan.FromSeconds(1) - s_tick);
        Assert.False(second.IsCompleted);
        _time.Advance(s_tick);
        Assert.True(second.IsCanceled);

        _time.Advance(TimeSpan.FromSeconds(1) - s_tick);
        Assert.False(third.IsCompleted);
        _time.Advance(s_tick);
        Assert.True(third.IsCanceled);
    }

    [Fact]
    public void Those_that_come_due_together_are_given_up_together()
    {
        Task<DeliveryState>[] settling = [Settle(0), Settle(1), Settle(2)];

        _time.Advance(s_patience);

        Assert.All(settling, one => Assert.True(one.IsCanceled));
    }

    [Fact]
    public void One_is_given_up_long_after_all_others_were_answered()
    {
        _ = Settle(0);
        _peer.Say(0, null, Accepted.Instance);
        _time.Advance(s_patience * 2);

        var later = Settle(1);
        _time.Advance(s_patience - s_tick);
        Assert.False(later.IsCompleted);
        _time.Advance(s_tick);

        Assert.True(later.IsCanceled);
    }

    private async Task<DeliveryState> Settle(int number)
    {
        var receipt = _peer.Arrived[number];
        var settling = _peer.Receiver.SettleAsync(receipt, Accepted.Instance, default);
        using var watching = _link.Watch(receipt, s_patience);
        return await settling;
    }
}
