using Holdfast.Broker;
using Xunit;

namespace Holdfast.Tests.Kit;

public abstract partial class BrokerContract
{
    [Fact]
    public async Task A_held_lease_is_renewed()
    {
        await SendAsync("a");
        var delivery = await TakeAsync();

        Assert.Equal([Renewal.Renewed], await RenewAsync(delivery));
        Assert.True(await Receiver.SettleAsync(delivery, Settlement.Complete, default));
    }

    [Fact]
    public async Task A_renewed_lease_outlives_its_first_lock()
    {
        Needs(BrokerFeatures.TimedLocks);
        await SendAsync("a");
        var delivery = await TakeAsync();

        for (var round = 0; round < 3; round++)
        {
            await Subject.PassAsync(delivery.LockDuration * 0.6);
            Assert.Equal([Renewal.Renewed], await RenewAsync(delivery));
        }

        await NothingComesAsync(Receiver);
        Assert.True(await Receiver.SettleAsync(delivery, Settlement.Complete, default));
    }

    [Fact]
    public async Task A_lapsed_lease_can_neither_be_renewed_nor_settled()
    {
        await SendAsync("a");
        var delivery = await TakeAsync();

        await Subject.LapseAsync();

        await LeaseIsGoneAsync(delivery);
    }

    [Fact]
    public async Task A_lease_that_ends_with_its_connection_says_so_before_its_message_comes_again()
    {
        if (Subject.Features.HasFlag(BrokerFeatures.TimedLocks))
            Assert.Skip("These leases outlive a connection.");
        await SendAsync("a");
        var (delivery, epoch) = (await TakeAsync(), Receiver.Epoch);
        Assert.Null(delivery.Fate);
        Assert.Equal([Renewal.Renewed], await RenewAsync(delivery));
        Assert.Equal(epoch, Receiver.Epoch);

        await Subject.LapseAsync();
        await TakeAsync();

        Assert.Equal(Renewal.Severed, delivery.Fate);
        Assert.NotEqual(epoch, Receiver.Epoch);
    }

    [Fact]
    public async Task The_message_of_a_lapsed_lease_comes_again_and_is_counted()
    {
        await SendAsync("a");
        await TakeAsync();

        await Subject.LapseAsync();
        var again = await TakeAsync();

        Assert.Equal("a", again.Message.Id);
        IsDeliveryNumber(2, again);
        Assert.True(await Receiver.SettleAsync(again, Settlement.Complete, default));
    }

    [Fact]
    public async Task A_stale_receipt_does_not_touch_the_lease_of_the_next_holder()
    {
        await SendAsync("a");
        var stale = await TakeAsync();
        await Subject.LapseAsync();
        var fresh = await TakeAsync();

        await LeaseIsGoneAsync(stale);

        Assert.Equal([Renewal.Renewed], await RenewAsync(fresh));
        Assert.True(await Receiver.SettleAsync(fresh, Settlement.Complete, default));
    }

    [Fact]
    public async Task In_one_batch_each_lease_has_a_fate_of_its_own()
    {
        Needs(BrokerFeatures.TimedLocks);
        await SendAsync("old");
        var old = await TakeAsync();
        await Subject.PassAsync(old.LockDuration * 0.6);
        await SendAsync("young", "younger");
        var young = await TakeAsync(Receiver, 2);
        await Subject.PassAsync(old.LockDuration * 0.6);

        Assert.Equal([Renewal.Renewed, Renewal.Lost, Renewal.Renewed], await RenewAsync(young[0], old, young[1]));

        Assert.False(await Receiver.SettleAsync(old, Settlement.Complete, default));
        Assert.True(await Receiver.SettleAsync(young[0], Settlement.Complete, default));
        Assert.True(await Receiver.SettleAsync(young[1], Settlement.Complete, default));
    }

    [Fact]
    public async Task A_full_batch_is_renewed_in_one_call()
    {
        var count = Math.Min(Receiver.RenewalBatch, 100);
        await SendAsync(count);

        var outcomes = await RenewAsync(await TakeAsync(Receiver, count));

        Assert.All(outcomes, outcome => Assert.Equal(Renewal.Renewed, outcome));
    }

    [Fact]
    public async Task An_abandoned_lease_can_no_longer_be_used()
    {
        await SendAsync("a");
        var given = await TakeAsync();
        await Receiver.SettleAsync(given, Settlement.Abandon, default);
        var taken = await TakeAsync(await OpenAsync());

        await LeaseIsGoneAsync(given);

        IsDeliveryNumber(2, taken);
        await NothingComesAsync(Receiver);
    }
}
