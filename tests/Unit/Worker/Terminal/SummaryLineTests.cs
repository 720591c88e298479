using Holdfast.Worker.Terminal;

namespace Holdfast.Tests.Unit.Worker.Terminal;

public sealed class SummaryLineTests
{
    [Fact]
    public void A_queue_is_a_line()
    {
        var now = FakeEngine.Orders with { Completed = FakeEngine.Orders.Completed + 60, Renewals = FakeEngine.Orders.Renewals + 40 };

        Assert.Equal(
            "orders    12.0 msg/s  held   24  slots   24/64    renewals   8.0/s  misses 0  least margin 14.2 s",
            SummaryLine.Compose(FakeEngine.Orders, now, TimeSpan.FromSeconds(5)));
    }

    [Fact]
    public void What_keeps_it_from_taking_more_is_said()
    {
        var now = FakeEngine.Orders with { LeastMargin = null, Holding = "every slot is used" };

        Assert.EndsWith("least margin -  (every slot is used)", SummaryLine.Compose(now, now, TimeSpan.FromSeconds(5)));
        Assert.EndsWith("(refused)", SummaryLine.Compose(now, now with { Problem = "refused" }, TimeSpan.FromSeconds(5)));
    }

    [Fact]
    public void The_end_is_a_line_and_what_was_lost_is_not_held() =>
        Assert.Equal(
            "orders: settled 66 of 100 (completed 60, given back 3, dead-lettered 3), misses 10, still held 24, least margin 14.2 s",
            SummaryLine.Close(FakeEngine.Orders with { Misses = 10 }));
}
