using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class RootBudgetTests
{
    private readonly RootBudget _budget;
    private int _shortages;

    public RootBudgetTests() => _budget = new(() => _shortages++);

    [Fact]
    public void A_seconds_worth_may_begin_at_once_and_no_more_and_that_is_told_once()
    {
        Assert.Equal(RootBudget.PerSecond, Begin(10_000));
        Assert.Equal(1, _shortages);
    }

    [Fact]
    public void It_comes_back_within_a_second_and_is_not_saved_up_for_longer()
    {
        Begin(10_000);

        _budget.Refill();
        Assert.Equal(RootBudget.PerSecond / 10, Begin(10_000));

        for (var look = 0; look < 1000; look++)
            _budget.Refill();
        Assert.Equal(RootBudget.PerSecond, Begin(10_000));
        Assert.Equal(1, _shortages);
    }

    [Fact]
    public void What_stays_within_it_is_never_short()
    {
        for (var look = 0; look < 1000; look++)
        {
            Assert.Equal(RootBudget.PerSecond / 10, Begin(RootBudget.PerSecond / 10));
            _budget.Refill();
        }

        Assert.Equal(0, _shortages);
    }

    private int Begin(int wanted)
    {
        var begun = 0;
        for (; begun < wanted && _budget.IsLeft; begun++)
            _budget.Spend();
        return begun;
    }
}
