using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class HoldLimitTests : IDisposable
{
    private readonly KeeperByHand _hand = new();

    public void Dispose() => _hand.Dispose();

    [Fact]
    public void Near_its_limit_a_message_is_given_back_once_while_there_is_trust_left()
    {
        var lease = _hand.Hold(10, holdLimit: 25);
        List<double> givenBack = [];
        lease.GiveBack = () => givenBack.Add(_hand.Now);

        _hand.RunTo(24.6);

        Assert.Equal([24.5], givenBack);
        Assert.Equal([5, 10, 15], _hand.Receiver.AskedAt);
        Assert.True(_hand.Keeper.TryBeginSettling(lease));
    }

    [Fact]
    public void Given_back_once_also_where_others_are_asked_for_before_anything_comes_of_it()
    {
        var lease = _hand.Hold(10, holdLimit: 25);
        var givenBack = 0;
        lease.GiveBack = () => givenBack++;
        _hand.RunTo(4.6);
        _hand.Hold(10);

        _hand.RunTo(24.7);

        Assert.Equal(24.6, _hand.Receiver.AskedAt.Last(), tolerance: 0.001);
        Assert.Equal((LeaseState.Held, 1), (lease.State, givenBack));
    }

    [Theory]
    [InlineData(25, 24.75)]
    [InlineData(22, 21.75)]
    [InlineData(4, 3.75)]
    public void What_nobody_gives_back_is_lost_to_the_deadline(double holdLimit, double lostAt)
    {
        var lease = _hand.Hold(10, holdLimit);
        var whenLost = _hand.WhenLost(lease);

        _hand.RunTo(40);

        Assert.Equal(lostAt, whenLost());
        Assert.Equal(1, _hand.Meter.Misses(MissReason.Deadline));
        Assert.Equal(1, _hand.Misses);
    }

    [Theory]
    [InlineData(true, 24.75)]
    [InlineData(false, 9.75)]
    public void What_is_held_while_a_copy_of_it_is_sent_is_renewed_until_its_limit_and_what_is_not_is_lost_with_its_lock(bool isHeldMeanwhile, double lostAt)
    {
        var lease = _hand.Keeper.Hold(_hand.Book, _hand.NewDelivery(10, holdLimit: 25, isHeldMeanwhile: isHeldMeanwhile));
        var whenLost = _hand.WhenLost(lease);
        var givenBack = 0;
        lease.GiveBack = () => givenBack++;
        Assert.True(_hand.Keeper.TryBeginSettling(lease));

        _hand.RunTo(40);

        // Its end is decided: the policy for slow handlers has no say in it.
        Assert.Equal((lostAt, 1, 0), (whenLost(), _hand.Misses, givenBack));
        Assert.Equal([("a", lostAt)], _hand.Receiver.GivenUp);
    }

    [Fact]
    public void A_limit_within_the_first_lock_needs_no_renewal()
    {
        var lease = _hand.Hold(10, holdLimit: 4);
        List<double> givenBack = [];
        lease.GiveBack = () => givenBack.Add(_hand.Now);

        _hand.RunTo(20);

        Assert.Equal([3.5], givenBack);
        Assert.Empty(_hand.Receiver.Requests);
    }

    [Fact]
    public void A_margin_that_shrinks_near_the_limit_neither_hurries_the_end_nor_keeps_the_keeper_busy()
    {
        Teach(TimeSpan.FromSeconds(2), 1);
        var lease = _hand.Hold(10, holdLimit: 25);
        List<double> givenBack = [];
        lease.GiveBack = () => givenBack.Add(_hand.Now);
        _hand.RunTo(20);
        Assert.True(lease.IsAtLimit);
        Teach(TimeSpan.Zero, 20_000);

        _hand.RunTo(lease.Limit.TotalSeconds);

        Assert.Equal([lease.Limit.TotalSeconds - 0.25], givenBack);
    }

    private void Teach(TimeSpan delay, int times)
    {
        var book = _hand.Book;
        var any = new Lease(book, _hand.NewDelivery(), TimeSpan.FromSeconds(_hand.Now), spread: 0);
        for (var i = 0; i < times; i++)
            book.Renewed(any, delay, TimeSpan.FromSeconds(_hand.Now));
    }
}
