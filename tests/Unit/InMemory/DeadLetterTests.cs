using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class DeadLetterTests
{
    private readonly Desk _desk = new(options => options.MaxDeliveries = 3);

    public static TheoryData<string> WaysBack => ["abandon", "delay", "lapse", "refusal", "mixed"];

    [Theory]
    [MemberData(nameof(WaysBack))]
    public void A_message_that_keeps_coming_back_becomes_a_dead_letter(string way)
    {
        _desk.Send("poison");
        for (var delivery = 1; delivery <= 3; delivery++)
        {
            var held = _desk.Take();
            Assert.Equal(delivery, held.DeliveryCount);
            GiveBack(held, way == "mixed" ? WaysBack.ElementAt(delivery).Data : way);
        }

        Assert.Equal(new InMemoryQueueCounts("orders", 0, 0, 0, Dead: 1), _desk.Counts);
        var letter = Assert.Single(_desk.Take(2, _desk.Open("orders.dead")));
        Assert.Equal("poison", letter.Message.Id);
        Assert.Equal("max_deliveries", letter.Message.Properties["dead-letter-reason"]);
        Assert.Contains("3 times", (string?)letter.Message.Properties["dead-letter-description"]);
        Assert.Equal("orders", letter.Message.Properties["dead-letter-queue"]);
    }

    [Fact]
    public void The_last_allowed_delivery_can_still_be_completed()
    {
        _desk.Send("a");
        _desk.Settle(_desk.Take(), Settlement.Abandon);
        _desk.Settle(_desk.Take(), Settlement.Abandon);

        Assert.True(_desk.Complete(_desk.Take()));
        Assert.Equal(0, _desk.Counts.Dead);
    }

    [Fact]
    public void A_dead_letter_keeps_what_it_was_and_is_counted_anew()
    {
        _desk.Send("a", 4);
        var sentAt = _desk.Time.GetUtcNow();
        _desk.Pass(3);
        _desk.Settle(_desk.Take(), Settlement.Abandon);
        _desk.Settle(_desk.Take(), Settlement.DeadLetter("Bad", "Too bad"));

        var letter = Assert.Single(_desk.Take(1, _desk.Open("orders.dead")));

        Assert.Equal((byte)4, letter.Message.Priority);
        Assert.Equal(sentAt, letter.EnqueuedAt);
        Assert.Equal(1, letter.DeliveryCount);
    }

    [Fact]
    public void The_dead_letter_queue_is_a_queue_like_any_other()
    {
        _desk.Send("a");
        _desk.Settle(_desk.Take(), Settlement.DeadLetter("Bad", "Too bad"));
        var dead = _desk.Open("orders.dead");
        var letter = Assert.Single(_desk.Take(1, dead));

        _desk.Pass(30);
        Assert.False(Desk.Now(dead.SettleAsync(letter, Settlement.Complete, default)));
        letter = Assert.Single(_desk.Take(1, dead));
        Assert.True(Desk.Now(dead.SettleAsync(letter, Settlement.DeadLetter("Worse", "Still bad"), default)));

        Assert.Equal(0, _desk.Counts.Dead);
        Assert.Equal(1, _desk.Broker.Counts("orders.dead").Dead);
    }

    [Fact]
    public async Task A_dead_letter_goes_to_a_receiver_that_waits_for_it()
    {
        var waiting = _desk.WaitAsync(_desk.Open("orders.dead"));
        _desk.Send("a");

        _desk.Settle(_desk.Take(), Settlement.DeadLetter("Bad", "Too bad"));

        Assert.True(waiting.IsCompleted);
        Assert.Equal("a", (await waiting).Message.Id);
    }

    private void GiveBack(Delivery held, string way)
    {
        switch (way)
        {
            case "abandon":
                Assert.True(_desk.Settle(held, Settlement.Abandon));
                break;
            case "delay":
                Assert.True(_desk.Settle(held, Settlement.Delay(TimeSpan.FromSeconds(1))));
                _desk.Pass(1);
                break;
            case "refusal":
                _desk.Broker.Faults.RefuseRenewals(1);
                Assert.Equal([Renewal.Lost], _desk.Renew(held));
                break;
            default:
                _desk.Pass(30);
                break;
        }
    }
}
