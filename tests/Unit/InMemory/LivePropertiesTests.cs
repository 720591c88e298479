using Holdfast.Broker;

namespace Holdfast.Tests.Unit.InMemory;

/// <summary>Properties are a dictionary of the caller's, which may still write to it.</summary>
public sealed class LivePropertiesTests
{
    private readonly Desk _desk = new(options => options.MaxDeliveries = 1);
    private readonly LiveProperties _properties = new();

    [Fact]
    public void A_settlement_whose_properties_can_not_be_read_leaves_the_message_held()
    {
        _desk.Send("a");
        var held = _desk.Take();
        _properties.Failure = new InvalidOperationException("Collection was modified.");

        Assert.Throws<InvalidOperationException>(() => _desk.Settle(held, Settlement.Delay(TimeSpan.FromSeconds(1)).With(_properties)));

        Assert.Equal(1, _desk.Counts.Held);
        Assert.True(_desk.Complete(held));
    }

    [Fact]
    public void A_message_keeps_the_properties_that_it_was_sent_with()
    {
        Desk.Now(_desk.Sender.SendAsync(new Message { Id = "a", Properties = _properties }, TimeSpan.Zero, default));
        _properties.Failure = new InvalidOperationException("Collection was modified.");

        var held = _desk.Take();
        Assert.Equal("red", held.Message.Properties["colour"]);
        _desk.Settle(held, Settlement.DeadLetter("bad", ""));

        Assert.Equal("red", Assert.Single(_desk.Take(1, _desk.Open("orders.dead"))).Message.Properties["colour"]);
    }

    [Fact]
    public void A_message_that_nobody_can_copy_any_more_is_still_put_aside()
    {
        Desk.Now(_desk.Sender.SendAsync(new Message { Id = "a", Properties = _properties }, TimeSpan.Zero, default));
        _desk.Take();
        _properties.Failure = new InvalidOperationException("Collection was modified.");

        _desk.Pass(30);

        Assert.Equal((0, 1), (_desk.Counts.Held, _desk.Counts.Dead));
    }

    [Fact]
    public void A_message_whose_properties_can_not_be_read_is_not_sent()
    {
        _properties.Failure = new InvalidOperationException("Collection was modified.");

        Assert.Throws<InvalidOperationException>(
            () => Desk.Now(_desk.Sender.SendAsync(new Message { Id = "a", Properties = _properties }, TimeSpan.Zero, default)));

        Assert.Equal(0, _desk.Counts.Waiting);
    }
}
