using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Sessions;

public sealed class DeliveriesTests
{
    private readonly Deliveries<string> _deliveries = new();

    [Fact]
    public void A_row_of_four_billion_costs_no_more_than_what_is_there()
    {
        _deliveries.Add(5, "five");
        _deliveries.Add(uint.MaxValue - 1, "last but one");
        Assert.Equal(["five", "last but one"], Within(5, uint.MaxValue));
        Assert.Equal(["last but one", "five"], Within(uint.MaxValue - 1, uint.MaxValue - 2));
    }

    [Fact]
    public void A_row_goes_on_beyond_the_last_number()
    {
        _deliveries.Add(uint.MaxValue, "a");
        _deliveries.Add(0, "b");
        _deliveries.Add(1, "c");
        _deliveries.Add(2, "d");
        Assert.Equal(["a", "b", "c"], Within(uint.MaxValue, 1));
    }

    [Fact]
    public void Both_ends_of_a_row_belong_to_it()
    {
        for (uint id = 0; id < 10; id++)
            _deliveries.Add(id, $"{id}");
        Assert.Equal(["3", "4", "5"], Within(3, 5));
        Assert.Equal(["9"], Within(9, 9));
        Assert.Empty(Within(10, 10));
    }

    [Fact]
    public void Those_of_one_link_are_taken_out()
    {
        _deliveries.Add(1, "mine");
        _deliveries.Add(2, "yours");
        Assert.Equal(["mine"], _deliveries.Take(delivery => delivery == "mine"));
        Assert.Equal(["yours"], Within(0, 9));
    }

    private string[] Within(uint first, uint last) => [.. _deliveries.Within(first, last).Select(open => open.Delivery)];
}
