using Holdfast.Broker;
using Xunit;

namespace Holdfast.Tests.Kit;

public abstract partial class BrokerContract
{
    [Fact]
    public async Task A_message_that_is_let_go_comes_again_at_the_latest_when_its_lock_ends()
    {
        await SendAsync("a");
        var given = await TakeAsync();

        Receiver.LetGo(given);
        Receiver.LetGo(given);

        if (Subject.Features.HasFlag(BrokerFeatures.TimedLocks))
        {
            await NothingComesAsync(await OpenAsync());
            await Subject.PassAsync(given.LockDuration);
        }

        var taken = await TakeAsync();
        Assert.Equal("a", taken.Message.Id);
        IsDeliveryNumber(2, taken);
        await LeaseIsGoneAsync(given);
        await NothingComesAsync(Receiver);
    }

    [Fact]
    public async Task To_let_go_of_a_settled_lease_changes_nothing()
    {
        await SendAsync("a");
        var settled = await TakeAsync();
        Assert.True(await Receiver.SettleAsync(settled, Settlement.Complete, default));

        Receiver.LetGo(settled);

        await NothingComesAsync(Receiver);
        await SendAsync("b");
        var next = await TakeAsync();
        Assert.Equal([Renewal.Renewed], await RenewAsync(next));
        Assert.True(await Receiver.SettleAsync(next, Settlement.Complete, default));
    }

    [Fact]
    public async Task To_let_go_of_a_stale_lease_leaves_the_next_holder_its_own()
    {
        await SendAsync("a");
        var stale = await TakeAsync();
        await Subject.LapseAsync();
        var fresh = await TakeAsync();

        Receiver.LetGo(stale);

        Assert.Equal([Renewal.Renewed], await RenewAsync(fresh));
        Assert.True(await Receiver.SettleAsync(fresh, Settlement.Complete, default));
        await NothingComesAsync(Receiver);
    }
}
