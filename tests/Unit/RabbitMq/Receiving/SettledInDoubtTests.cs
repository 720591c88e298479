using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class SettledInDoubtTests
{
    private readonly SettledInDoubt _inDoubt = new();

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, true)]
    [InlineData(2, true)]
    [InlineData(3, false)]
    public void A_settlement_is_in_doubt_until_two_pulses_after_it_were_answered(int begun, bool isInDoubt)
    {
        _inDoubt.Add(new MessageKey("a", 0));
        for (var pulse = 0; pulse < begun; pulse++)
            _inDoubt.BeginPulse();

        Assert.Equal(isInDoubt, _inDoubt.TakeAll().Contains(new MessageKey("a", 0)));
    }

    [Fact]
    public void Each_settlement_has_an_age_of_its_own()
    {
        foreach (var id in new[] { "a", "b", "c", "d" })
        {
            _inDoubt.BeginPulse();
            _inDoubt.Add(new MessageKey(id, 0));
        }

        Assert.Equal(["b", "c", "d"], _inDoubt.TakeAll().Select(message => message.Id).Order());
    }

    [Fact]
    public void It_counts_those_since_the_last_pulse()
    {
        _inDoubt.Add(new MessageKey("a", 0));
        _inDoubt.Add(new MessageKey("b", 0));
        Assert.Equal(2, _inDoubt.SincePulse);

        _inDoubt.BeginPulse();
        Assert.Equal(0, _inDoubt.SincePulse);
    }

    [Fact]
    public void It_counts_each_message_that_was_taken_once()
    {
        foreach (var id in new[] { "a", "b", "a" })
            _inDoubt.Add(new MessageKey(id, 0));
        _inDoubt.TakeAll();
        _inDoubt.Add(new MessageKey("b", 0));
        _inDoubt.TakeAll();

        Assert.Equal(2, _inDoubt.Taken);
    }

    [Fact]
    public void What_is_taken_is_taken_once()
    {
        _inDoubt.Add(new MessageKey("a", 0));
        _inDoubt.BeginPulse();
        _inDoubt.Add(new MessageKey("b", 0));

        Assert.Equal(2, _inDoubt.TakeAll().Count);
        Assert.Empty(_inDoubt.TakeAll());
    }
}
