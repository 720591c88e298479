using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class LetGoTests : IDisposable
{
    private readonly KeeperByHand _hand = new();

    public void Dispose() => _hand.Dispose();

    [Fact]
    public void The_broker_is_told_once_that_a_lease_ran_out()
    {
        _hand.Hold();
        _hand.Receiver.OnRenew = request => request.Fail();

        _hand.RunTo(30);

        Assert.Equal([("a", 9.75)], _hand.Receiver.GivenUp);
    }

    [Fact]
    public void The_broker_is_told_that_a_settlement_was_called_off()
    {
        var lease = _hand.Hold();
        Assert.True(_hand.Keeper.TryBeginSettling(lease));

        _hand.RunTo(30);

        Assert.Equal([("a", 9.75)], _hand.Receiver.GivenUp);
    }

    [Fact]
    public void The_broker_is_told_what_nobody_gave_back_at_its_limit()
    {
        _hand.Hold(10, holdLimit: 25);

        _hand.RunTo(40);

        Assert.Equal([("a", 24.75)], _hand.Receiver.GivenUp);
    }

    [Fact]
    public void The_broker_is_told_in_a_turn_of_the_Lease_lane_and_not_by_whoever_finds_out()
    {
        var lease = _hand.Hold();

        _hand.Keeper.Lose(lease, MissReason.Connection);
        Assert.Empty(_hand.Receiver.GivenUp);

        _hand.Run(0);
        Assert.Single(_hand.Receiver.GivenUp);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("Deadline")]
    [InlineData("Drain")]
    public void Nothing_is_to_be_told_of_what_was_settled(string? miss)
    {
        var lease = _hand.Hold();
        Assert.True(_hand.Keeper.TryBeginSettling(lease));

        _hand.Keeper.Settled(lease, miss is null ? null : Enum.Parse<MissReason>(miss));
        _hand.RunTo(30);

        Assert.Empty(_hand.Receiver.GivenUp);
        Assert.Equal(miss is null ? 0 : 1, _hand.Misses);
    }

    [Fact]
    public void A_lease_that_goes_on_is_not_let_go_of()
    {
        _hand.Hold();

        _hand.RunTo(60);

        Assert.Empty(_hand.Receiver.GivenUp);
        Assert.Equal(0, _hand.Misses);
    }
}
