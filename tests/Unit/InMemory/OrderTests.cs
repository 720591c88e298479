using Holdfast.Broker;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class OrderTests
{
    private readonly Desk _desk = new();

    [Fact]
    public void The_more_urgent_come_first_and_equals_in_the_order_of_their_sending()
    {
        _desk.Send("low 1", 0);
        _desk.Send("high 1", 200);
        _desk.Send("mid 1", 5);
        _desk.Send("low 2", 0);
        _desk.Send("high 2", 200);

        Assert.Equal(["high 1", "high 2", "mid 1", "low 1", "low 2"], _desk.TakeIds(5));
    }

    [Fact]
    public void A_message_that_was_given_back_keeps_its_place()
    {
        _desk.Send("a", "b", "c", "d");
        var held = _desk.Take(3);
        foreach (var n in new[] { 1, 2, 0 })
            _desk.Settle(held[n], Settlement.Abandon);
        _desk.Send("e");

        Assert.Equal(["a", "b", "c", "d", "e"], _desk.TakeIds(5));
    }

    [Fact]
    public void A_message_whose_lock_lapsed_keeps_its_place()
    {
        _desk.Send("a", "b", "c");
        var held = _desk.Take(2);
        _desk.Pass(10);
        _desk.Renew(held[0]);

        _desk.Pass(20);
        Assert.Equal(["b"], _desk.TakeIds(1));
        _desk.Pass(10);

        Assert.Equal(["a", "c"], _desk.TakeIds(3));
    }

    [Fact]
    public void A_message_that_was_given_back_does_not_overtake_a_more_urgent_one()
    {
        _desk.Send("low", 1);
        var held = _desk.Take();
        _desk.Send("high", 2);
        _desk.Settle(held, Settlement.Abandon);

        Assert.Equal(["high", "low"], _desk.TakeIds(2));
    }

    [Fact]
    public void A_message_sent_for_later_takes_its_place_when_its_time_comes()
    {
        _desk.Send("second", 0, delay: 2);
        _desk.Send("third", 0, delay: 2);
        _desk.Send("first", 0, delay: 1);
        _desk.Pass(2);
        _desk.Send("fourth");

        Assert.Equal(["first", "second", "third", "fourth"], _desk.TakeIds(4));
    }

    [Fact]
    public async Task Receivers_that_wait_are_served_in_the_order_of_their_coming()
    {
        var first = _desk.WaitAsync();
        var second = _desk.WaitAsync(_desk.Open());

        _desk.Send("a");
        Assert.True(first.IsCompleted);
        Assert.False(second.IsCompleted);
        _desk.Send("b");

        Assert.Equal("a", (await first).Message.Id);
        Assert.Equal("b", (await second).Message.Id);
    }

    [Fact]
    public void The_same_calls_give_the_same_order_every_time()
    {
        Assert.Equal(Run(), Run());
    }

    private static List<string> Run()
    {
        var desk = new Desk(options => options.ConnectionBound = true);
        var dice = new Random(7);
        var log = new List<string>();
        var held = new List<Delivery>();
        for (var n = 0; n < 500; n++)
        {
            desk.Send($"m{n}", (byte)dice.Next(3), dice.Next(3));
            _ = LogAsync(desk, log, held);
            if (held.Count > 0)
                desk.Settle(held[dice.Next(held.Count)], dice.Next(2) == 0 ? Settlement.Abandon : Settlement.Delay(TimeSpan.FromSeconds(1)));
            desk.Pass(dice.NextDouble());
            if (n % 50 == 0)
                desk.Broker.Faults.Cut();
            desk.Broker.Faults.Restore();
        }

        return log;
    }

    private static async Task LogAsync(Desk desk, List<string> log, List<Delivery> held)
    {
        try
        {
            var delivery = await desk.WaitAsync();
            held.Add(delivery);
            log.Add($"{delivery.Message.Id} for the {delivery.DeliveryCount}. time at {desk.Time.Elapsed}");
        }
        catch (BrokerException cut)
        {
            log.Add(cut.Message);
        }
    }
}
