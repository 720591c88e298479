using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class FaultTests
{
    private readonly Desk _desk = new();

    private Faults Faults => _desk.Broker.Faults;

    [Fact]
    public async Task A_slow_send_takes_effect_half_way_and_returns_at_the_end()
    {
        Faults.Sends.Slow(TimeSpan.FromSeconds(4));
        var sending = _desk.Sender.SendAsync(new Message { Id = "a" }, TimeSpan.Zero, default);

        _desk.Pass(1.999);
        Assert.Equal(0, _desk.Counts.Waiting);
        _desk.Pass(0.001);
        Assert.Equal(1, _desk.Counts.Waiting);
        Assert.False(sending.IsCompleted);
        _desk.Pass(2);

        Assert.True(sending.IsCompleted);
        await sending;
    }

    [Fact]
    public async Task A_slow_receive_takes_the_messages_only_when_it_returns()
    {
        _desk.Send("a");
        Faults.Receives.Slow(TimeSpan.FromSeconds(4));
        var receiving = _desk.WaitAsync();

        _desk.Pass(3.999);
        Assert.Equal(1, _desk.Counts.Waiting);
        _desk.Pass(0.001);

        Assert.True(receiving.IsCompleted);
        Assert.Equal(TimeSpan.FromSeconds(4).Ticks, (await receiving).ArrivedAt);
    }

    [Fact]
    public async Task A_slow_renewal_counts_from_when_it_reached_the_broker()
    {
        _desk.Send("a");
        var held = _desk.Take();
        Faults.Renewals.Slow(TimeSpan.FromSeconds(20));
        var outcomes = new[] { Renewal.Lost };
        var renewing = _desk.Receiver.RenewAsync(new[] { held }, outcomes, default);
        Faults.Heal();

        _desk.Pass(19.999);
        Assert.False(renewing.IsCompleted);
        Assert.Equal(Renewal.Unknown, outcomes[0]);
        _desk.Pass(0.001);
        await renewing;
        Assert.Equal(Renewal.Renewed, outcomes[0]);

        _desk.Pass(19.999);
        Assert.Equal(1, _desk.Counts.Held);
        _desk.Pass(0.001);
        Assert.Equal(0, _desk.Counts.Held);
    }

    [Fact]
    public async Task A_slow_renewal_can_reach_the_broker_too_late()
    {
        _desk.Send("a");
        var held = _desk.Take();
        Faults.Renewals.Slow(TimeSpan.FromSeconds(60));
        var outcomes = new Renewal[1];
        var renewing = _desk.Receiver.RenewAsync(new[] { held }, outcomes, default);

        _desk.Pass(60);
        await renewing;

        Assert.Equal(Renewal.Lost, outcomes[0]);
    }

    [Fact]
    public async Task A_slow_settlement_that_is_called_off_on_the_way_back_was_done()
    {
        _desk.Send("a");
        using var cancel = new CancellationTokenSource();
        Faults.Settlements.Slow(TimeSpan.FromSeconds(2));
        var settling = _desk.Receiver.SettleAsync(_desk.Take(), Settlement.Complete, cancel.Token);
        _desk.Pass(1);

        await cancel.CancelAsync();

        Assert.True(settling.IsCanceled);
        Assert.Equal(0, _desk.Counts.Held);
    }

    [Fact]
    public void A_call_that_is_called_off_on_the_way_never_reaches_the_broker_and_leaves_no_timer()
    {
        _desk.Send("a");
        using var cancel = new CancellationTokenSource();
        Faults.Receives.Slow(TimeSpan.FromSeconds(2));
        var receiving = _desk.WaitAsync(cancel: cancel.Token);

        cancel.Cancel();

        Assert.True(receiving.IsCanceled);
        Assert.Null(_desk.Time.UntilNextTimer);
        Assert.Equal(1, _desk.Counts.Waiting);
    }

    [Fact]
    public void A_refused_renewal_gives_the_message_to_others()
    {
        _desk.Send("a", "b", "c");
        var held = _desk.Take(3);
        Faults.RefuseRenewals(2);

        Assert.Equal([Renewal.Lost, Renewal.Lost, Renewal.Renewed], _desk.Renew(held));

        Assert.False(_desk.Complete(held[0]));
        Assert.Equal(["a", "b"], _desk.TakeIds(3));
        Assert.Equal([Renewal.Renewed], _desk.Renew(held[2]));
    }

    [Fact]
    public void Renewals_are_refused_until_healed()
    {
        _desk.Send("a", "b");
        var held = _desk.Take(2);
        Faults.RefuseRenewals();
        Assert.Equal([Renewal.Lost], _desk.Renew(held[0]));

        Faults.Heal();

        Assert.Equal([Renewal.Renewed], _desk.Renew(held[1]));
    }

    [Fact]
    public void A_silent_renewal_never_answers_until_it_is_called_off()
    {
        _desk.Send("a");
        var held = _desk.Take();
        using var cancel = new CancellationTokenSource();
        Faults.Renewals.Silence(times: 1);
        var outcomes = new[] { Renewal.Renewed };
        var renewing = _desk.Receiver.RenewAsync(new[] { held }, outcomes, cancel.Token);

        _desk.Time.Advance(TimeSpan.FromDays(1));
        Assert.False(renewing.IsCompleted);
        Assert.Equal(1, _desk.Counts.Waiting);
        cancel.Cancel();

        Assert.True(renewing.IsCanceled);
        Assert.Equal(Renewal.Unknown, outcomes[0]);
        Assert.Equal([Renewal.Lost], _desk.Renew(held));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_next_so_many_calls_fail_as_told(bool isTransient)
    {
        Faults.Sends.Fail(times: 2, isTransient);

        Assert.Equal(isTransient, FailureOf(() => _desk.Send("a")).IsTransient);
        Assert.Contains("send", FailureOf(() => _desk.Send("b")).Message);
        _desk.Send("c");

        Assert.Equal(["c"], _desk.TakeIds(3));
    }

    [Fact]
    public void Each_kind_of_call_fails_by_itself_until_healed()
    {
        _desk.Send("a", "b");
        var held = _desk.Take();

        Faults.Settlements.Fail();
        FailureOf(() => _desk.Complete(held));
        FailureOf(() => _desk.Complete(held));
        Assert.Equal([Renewal.Renewed], _desk.Renew(held));

        Faults.Renewals.Fail();
        FailureOf(() => _desk.Renew(held));

        Faults.Receives.Fail();
        FailureOf(() => _desk.Take());
        _desk.Send("c");

        Faults.Heal();
        Assert.True(_desk.Complete(held));
        Assert.Equal(["b", "c"], _desk.TakeIds(2));
    }

    [Fact]
    public void Once_healed_everything_works_again()
    {
        _desk.Send("a");
        var held = _desk.Take();
        foreach (var faults in new[] { Faults.Sends, Faults.Receives, Faults.Renewals, Faults.Settlements })
            faults.Fail();
        Faults.Cut();

        Faults.Heal();

        _desk.Send("b");
        Assert.Equal(["b"], _desk.TakeIds(1));
        Assert.Equal([Renewal.Renewed], _desk.Renew(held));
        Assert.True(_desk.Complete(held));
    }

    [Fact]
    public async Task A_slow_call_that_shall_fail_fails_late()
    {
        Faults.Sends.Slow(TimeSpan.FromSeconds(2));
        Faults.Sends.Fail(times: 1);
        var sending = _desk.Sender.SendAsync(new Message { Id = "a" }, TimeSpan.Zero, default).AsTask();

        Assert.False(sending.IsCompleted);
        _desk.Pass(2);

        Assert.True(sending.IsFaulted);
        await Assert.ThrowsAsync<BrokerException>(() => sending);
        Assert.Equal(0, _desk.Counts.Waiting);
    }

    private static BrokerException FailureOf(Action call) => Assert.Throws<BrokerException>(call);
}
