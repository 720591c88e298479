using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class TimeToLiveTests
{
    private static readonly TimeSpan s_minute = TimeSpan.FromMinutes(1);

    private readonly Desk _desk = new();

    [Fact]
    public void It_lasts_to_the_last_tick()
    {
        Send("a");

        _desk.Time.Advance(s_minute - TimeSpan.FromTicks(1));

        Assert.Equal(["a"], _desk.TakeIds(1));
    }

    [Fact]
    public async Task What_is_over_is_put_aside_and_says_why_and_who_waits_goes_on_waiting()
    {
        Send("a");
        _desk.Time.Advance(s_minute);
        var waiting = _desk.WaitAsync();

        Assert.False(waiting.IsCompleted);
        Assert.Equal(new InMemoryQueueCounts("orders", 0, 0, 0, Dead: 1), _desk.Counts);
        var letter = Assert.Single(_desk.Take(1, _desk.Open("orders.dead")));
        Assert.Equal(("a", "expired"), (letter.Message.Id, letter.Message.Properties["dead-letter-reason"]));
        Assert.Contains("00:01:00", (string?)letter.Message.Properties["dead-letter-description"]);

        _desk.Send("b");
        Assert.Equal("b", (await waiting).Message.Id);
    }

    [Fact]
    public void A_dead_letter_waits_for_ever()
    {
        Send("a");
        _desk.Settle(_desk.Take(), Settlement.DeadLetter("Bad", "Too bad"));

        _desk.Time.Advance(s_minute * 10);

        Assert.Single(_desk.Take(1, _desk.Open("orders.dead")));
    }

    [Fact]
    public void What_comes_back_when_it_is_over_comes_no_more()
    {
        Send("a");
        var delivery = _desk.Take();
        _desk.Time.Advance(TimeSpan.FromSeconds(29));
        Assert.Equal([Renewal.Renewed], _desk.Renew(delivery));
        _desk.Time.Advance(TimeSpan.FromSeconds(29));
        Assert.Equal([Renewal.Renewed], _desk.Renew(delivery));
        _desk.Time.Advance(TimeSpan.FromSeconds(2));

        Assert.True(_desk.Settle(delivery, Settlement.Abandon));

        Assert.Equal(1, _desk.Counts.Waiting);
        using var cancel = new CancellationTokenSource();
        Assert.False(_desk.WaitAsync(cancel: cancel.Token).IsCompleted);
        Assert.Equal(1, _desk.Counts.Dead);
    }

    [Fact]
    public void After_a_delay_it_begins_anew()
    {
        Send("a");
        _desk.Time.Advance(s_minute / 2);
        _desk.Settle(_desk.Take(), Settlement.Delay(s_minute));
        _desk.Time.Advance(s_minute * 1.9);

        Assert.Equal(["a"], _desk.TakeIds(1));
    }

    [Fact]
    public void It_begins_when_what_is_sent_for_later_can_be_received()
    {
        Send("a", delay: s_minute);
        _desk.Time.Advance(s_minute * 1.9);

        Assert.Equal(["a"], _desk.TakeIds(1));
    }

    [Fact]
    public void Nothing_and_less_is_no_life() =>
        Assert.All([TimeSpan.Zero, -s_minute], life => Assert.Throws<ArgumentOutOfRangeException>(() => new Message { Id = "a", TimeToLive = life }));

    private void Send(string id, TimeSpan delay = default) =>
        Desk.Now(_desk.Sender.SendAsync(new Message { Id = id, TimeToLive = s_minute }, delay, default));
}
