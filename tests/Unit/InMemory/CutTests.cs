using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class CutTests
{
    private readonly Desk _desk = new();

    private Faults Faults => _desk.Broker.Faults;

    [Fact]
    public void While_the_connection_is_cut_every_call_fails_for_now()
    {
        _desk.Send("a");
        var held = _desk.Take();
        Faults.Cut();

        Assert.False(_desk.Receiver.IsConnected);
        IsCut(() => _desk.Send("b"));
        IsCut(() => _desk.Take());
        IsCut(() => _desk.Renew(held));
        IsCut(() => _desk.Complete(held));
        IsCut(() => _desk.Open());
    }

    [Fact]
    public void A_restored_connection_works_as_before()
    {
        _desk.Send("a", "b");
        var held = _desk.Take();
        Faults.Cut();

        Faults.Restore();

        Assert.True(_desk.Receiver.IsConnected);
        Assert.True(_desk.Complete(held));
        Assert.Equal(["b"], _desk.TakeIds(2));
    }

    [Fact]
    public async Task A_cut_ends_the_waits_of_all_queues()
    {
        var waits = new[] { _desk.WaitAsync(), _desk.WaitAsync(_desk.Open()), _desk.WaitAsync(_desk.Open("others")) };

        Faults.Cut();

        Assert.All(waits, wait => Assert.True(wait.IsFaulted));
        foreach (var wait in waits)
            Assert.True((await Assert.ThrowsAsync<BrokerException>(() => wait)).IsTransient);

        Faults.Restore();
        _desk.Send("a");
        Assert.Equal(["a"], _desk.TakeIds(1));
        Assert.False(_desk.WaitAsync().IsCompleted);
    }

    [Fact]
    public void Locks_run_out_while_the_connection_is_cut()
    {
        _desk.Send("a");
        var held = _desk.Take();
        Faults.Cut();
        _desk.Pass(30);
        Faults.Restore();

        Assert.False(_desk.Complete(held));
        Assert.Equal(2, _desk.Take().DeliveryCount);
    }

    [Fact]
    public async Task A_cut_loses_the_answer_that_is_on_its_way_back()
    {
        _desk.Send("a");
        Faults.Settlements.Slow(TimeSpan.FromSeconds(2));
        var settling = _desk.Receiver.SettleAsync(_desk.Take(), Settlement.Complete, default).AsTask();
        _desk.Pass(1);

        Faults.Cut();
        _desk.Pass(1);

        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => settling)).IsTransient);
        Assert.Equal(0, _desk.Counts.Held);
    }

    [Fact]
    public async Task A_cut_stops_the_call_that_is_on_its_way_there()
    {
        Faults.Sends.Slow(TimeSpan.FromSeconds(2));
        var sending = _desk.Sender.SendAsync(new Message { Id = "a" }, TimeSpan.Zero, default).AsTask();

        Faults.Cut();
        _desk.Pass(1);

        await Assert.ThrowsAsync<BrokerException>(() => sending);
        Assert.Equal(0, _desk.Counts.Waiting);
    }

    private static void IsCut(Action call) => Assert.True(Assert.Throws<BrokerException>(call).IsTransient);
}
