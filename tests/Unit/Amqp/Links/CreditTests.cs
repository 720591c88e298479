using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Links;

public sealed class CreditTests
{
    [Fact]
    public async Task Credit_is_told_once_and_shrinks_with_each_message()
    {
        var link = await ReceiverByHand.OpenAsync(initialCount: 40);
        link.Peer.NothingMore();
        link.Receiver.SetCredit(3);
        var flow = link.Peer.Next<Flow>();
        Assert.Equal((0u, 40u, 3u, false), (flow.Handle, flow.DeliveryCount, flow.LinkCredit, flow.Drain));

        link.Receiver.SetCredit(3);
        link.Peer.NothingMore();
        link.Transfer(1);
        Assert.Equal(2u, link.Receiver.Credit);
        link.Receiver.SetCredit(3);
        flow = link.Peer.Next<Flow>();
        Assert.Equal((41u, 3u), (flow.DeliveryCount, flow.LinkCredit));

        link.Receiver.SetCredit(1);
        Assert.Equal(1u, link.Peer.Next<Flow>().LinkCredit);
        Assert.Equal(1u, link.Receiver.Credit);
    }

    [Fact]
    public async Task Credit_that_renews_itself_is_given_again_at_half()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 4, renews: true);
        Assert.Equal(4u, link.Peer.Next<Flow>().LinkCredit);
        link.Transfer(1);
        link.Peer.NothingMore();
        link.Transfer(1);
        var flow = link.Peer.Next<Flow>();
        Assert.Equal((2u, 4u), (flow.DeliveryCount, flow.LinkCredit));
    }

    [Fact]
    public async Task What_was_sent_before_less_credit_was_heard_of_is_taken()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 3);
        link.Receiver.SetCredit(0);
        link.Transfer(1);
        link.Transfer(1);
        link.Transfer(1);
        Assert.Equal((3, 0u), (link.Arrived.Count, link.Receiver.Credit));
        link.Transfer(1);
        Assert.Equal(3, link.Arrived.Count);
        Assert.Equal(ErrorConditions.TransferLimitExceeded, link.Receiver.Failure!.Condition);
    }

    [Fact]
    public async Task A_drain_ends_when_the_peer_has_given_the_credit_back()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Peer.Next<Flow>();
        var draining = link.Receiver.DrainAsync(default).AsTask();
        Assert.True(link.Peer.Next<Flow>().Drain);
        link.Transfer(1);
        Assert.False(draining.IsCompleted);

        link.SayFlow(count: 5, credit: 0, drain: true);
        await draining;
        Assert.Equal(0u, link.Receiver.Credit);
        link.Transfer(1);
        Assert.Equal(ErrorConditions.TransferLimitExceeded, link.Receiver.Failure!.Condition);
    }

    [Fact]
    public async Task A_drain_ends_after_the_messages_that_came_before_its_end()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 2);
        var arrivedAtEnd = -1;
        var draining = AfterAsync();
        link.Transfer(1);
        link.Transfer(1);
        await draining;
        Assert.Equal(2, arrivedAtEnd);

        async Task AfterAsync()
        {
            await link.Receiver.DrainAsync(default);
            arrivedAtEnd = link.Arrived.Count;
        }
    }

    [Fact]
    public async Task Of_the_last_message_before_the_end_of_a_drain_all_has_come()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 1);
        var draining = link.Receiver.DrainAsync(default).AsTask();
        link.Transfer(1, more: true);
        Assert.False(draining.IsCompleted);
        link.Transfer(1, isFirst: false);
        await draining;
        Assert.Single(link.Arrived);
    }

    [Fact]
    public async Task A_message_that_is_aborted_during_a_drain_ends_it_like_any_other_and_gives_no_credit()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 1);
        link.Peer.Next<Flow>();
        var draining = link.Receiver.DrainAsync(default).AsTask();
        link.Peer.Next<Flow>();
        link.Transfer(1, more: true);
        link.Transfer(0, aborted: true, isFirst: false);
        await draining;
        Assert.Equal(0u, link.Receiver.Credit);
        link.Peer.NothingMore();
    }

    [Fact]
    public async Task Credit_that_was_taken_back_meanwhile_is_not_given_again_for_a_message_that_is_aborted()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 2);
        link.Receiver.SetCredit(0);
        link.Transfer(1, more: true);
        link.Transfer(0, aborted: true, isFirst: false);
        Assert.Equal(0u, link.Receiver.Credit);
    }

    [Fact]
    public async Task A_flow_from_before_the_drain_does_not_end_it()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        var draining = link.Receiver.DrainAsync(default).AsTask();
        link.SayFlow(count: 0, credit: 0);
        Assert.False(draining.IsCompleted);
        link.SayFlow(count: 2, credit: 3);
        Assert.False(draining.IsCompleted);
        link.SayFlow(count: 5, credit: 0);
        await draining;
    }

    [Fact]
    public async Task Without_credit_there_is_nothing_to_drain()
    {
        var link = await ReceiverByHand.OpenAsync();
        await link.Receiver.DrainAsync(default);
        link.Peer.NothingMore();
    }

    [Fact]
    public async Task Credit_that_was_lessened_before_is_drained_too()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 10);
        link.Receiver.SetCredit(2);
        var draining = link.Receiver.DrainAsync(default).AsTask();
        link.Transfer(1);
        link.Transfer(1, more: true);
        link.Transfer(0, aborted: true, isFirst: false);
        Assert.False(draining.IsCompleted);
        link.Transfer(1);
        link.Transfer(1);
        Assert.False(draining.IsCompleted);

        // Said before it heard of the two.
        link.SayFlow(count: 3, credit: 7);
        Assert.False(draining.IsCompleted);

        // It had sent four when it heard of the two, and has nothing to give back.
        link.SayFlow(count: 4, credit: 0);
        await draining;
        Assert.Equal(3, link.Arrived.Count);
    }

    [Fact]
    public async Task Credit_that_is_set_during_a_drain_is_given_after_it()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Peer.Next<Flow>();
        var first = link.Receiver.DrainAsync(default).AsTask();
        link.Peer.Next<Flow>();
        link.Receiver.SetCredit(7);
        link.Peer.NothingMore();
        link.SayFlow(count: 5, credit: 0, drain: true);
        await first;
        var flow = link.Peer.Next<Flow>();
        Assert.Equal((5u, 7u, false), (flow.DeliveryCount, flow.LinkCredit, flow.Drain));

        // Once: after the next drain nobody has asked for it.
        var second = link.Receiver.DrainAsync(default).AsTask();
        Assert.True(link.Peer.Next<Flow>().Drain);
        link.SayFlow(count: 12, credit: 0, drain: true);
        await second;
        link.Peer.NothingMore();
        Assert.Equal(0u, link.Receiver.Credit);
    }

    [Fact]
    public async Task Credit_that_is_set_between_two_who_drain_is_never_given()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Peer.Next<Flow>();
        var first = link.Receiver.DrainAsync(default).AsTask();
        link.Peer.Next<Flow>();
        link.Receiver.SetCredit(7);
        var second = link.Receiver.DrainAsync(default).AsTask();

        link.SayFlow(count: 5, credit: 0, drain: true);

        await Task.WhenAll(first, second);
        link.Peer.NothingMore();
        Assert.Equal(0u, link.Receiver.Credit);
    }

    [Fact]
    public async Task Credit_that_renews_itself_does_not_after_a_drain_that_ended_within_a_message()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 4, renews: true);
        link.Peer.Next<Flow>();
        link.Transfer(1, more: true);
        var draining = link.Receiver.DrainAsync(default).AsTask();
        link.Peer.Next<Flow>();
        link.SayFlow(count: 4, credit: 0, drain: true);
        await draining;

        link.Transfer(1, isFirst: false);

        Assert.Single(link.Arrived);
        link.Peer.NothingMore();
        Assert.Equal(0u, link.Receiver.Credit);
    }

    [Fact]
    public async Task A_drain_that_nobody_waits_for_any_more_still_ends()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        using var cancel = new CancellationTokenSource();
        var first = link.Receiver.DrainAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        var second = link.Receiver.DrainAsync(default).AsTask();
        link.SayFlow(count: 5, credit: 0, drain: true);
        await second;
    }

    [Fact]
    public async Task A_drain_fails_with_its_link()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        var draining = link.Receiver.DrainAsync(default).AsTask();
        link.Peer.Say(new Detach { Handle = ReceiverByHand.Theirs, Closed = true });
        await Assert.ThrowsAsync<AmqpException>(() => draining);
        await Assert.ThrowsAsync<AmqpException>(() => link.Receiver.DrainAsync(default).AsTask());
    }

    [Fact]
    public async Task The_window_is_opened_again_at_half()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 9, session: new SessionOptions { IncomingWindow = 4 });
        Assert.Equal(4u, link.Peer.Next<Flow>().IncomingWindow);
        link.Transfer(1);
        link.Peer.NothingMore();
        link.Transfer(1);
        var flow = link.Peer.Next<Flow>();
        Assert.Equal((2u, 4u, null), (flow.NextIncomingId, flow.IncomingWindow, flow.Handle));
    }

    [Fact]
    public void Numbers_go_on_beyond_the_last_one()
    {
        var credit = new ReceiveCredit();
        credit.Begin(uint.MaxValue - 1);
        credit.Give(4);
        for (var i = 0; i < 4; i++)
            Assert.True(credit.TryReceive());
        Assert.False(credit.TryReceive());
        Assert.Equal(2u, credit.DeliveryCount);

        var windows = new SessionWindows(5);
        windows.OnBegin(uint.MaxValue, 3);
        Assert.True(windows.TryReceive());
        Assert.Equal(0u, windows.NextIncomingId);
    }
}
