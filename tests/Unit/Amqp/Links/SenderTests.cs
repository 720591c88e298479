using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Links;

public sealed class SenderTests
{
    [Fact]
    public async Task Messages_wait_in_order_for_credit_and_end_with_the_peers_word()
    {
        var link = await SenderByHand.OpenAsync();
        var first = link.SendAsync(3);
        var second = link.SendAsync(4);
        link.Peer.NothingMore();

        link.GiveCredit(1);
        var (transfer, payload) = link.Peer.NextTransfer();
        Assert.Equal((0u, 0u, false, false), (transfer.Handle, transfer.DeliveryId, transfer.Settled, transfer.More));
        Assert.Equal(4, transfer.DeliveryTag!.Length);
        Assert.Equal(SenderByHand.Bytes(3), payload);
        link.Peer.NothingMore();
        Assert.False(first.IsCompleted);

        link.GiveCredit(1, count: 1);
        var next = link.Peer.NextTransfer().Transfer;
        Assert.Equal(1u, next.DeliveryId);
        Assert.NotEqual(transfer.DeliveryTag, next.DeliveryTag!);
        link.Say(0, null, Accepted.Instance);
        link.Say(1, null, new Rejected(new AmqpError("amqp:not-allowed")));
        Assert.IsType<Accepted>(await first);
        Assert.Equal("amqp:not-allowed", Assert.IsType<Rejected>(await second).Error!.Condition.Value);
    }

    [Fact]
    public async Task A_settled_message_is_through_when_it_is_on_its_way()
    {
        var link = await SenderByHand.OpenAsync();
        var sending = link.SendAsync(3, settled: true);
        Assert.False(sending.IsCompleted);
        link.GiveCredit(1);
        await sending;
        Assert.True(link.Peer.NextTransfer().Transfer.Settled);
    }

    [Fact]
    public async Task A_row_of_messages_is_settled_by_one_frame()
    {
        var link = await SenderByHand.OpenAsync();
        link.GiveCredit(10);
        var sending = Enumerable.Range(0, 5).Select(_ => link.SendAsync(1)).ToArray();
        link.Say(1, 3, Accepted.Instance);
        Assert.Equal([false, true, true, true, false], sending.Select(one => one.IsCompleted));
        link.Say(0, uint.MaxValue / 2, Released.Instance);
        Assert.IsType<Released>(await sending[0]);
        Assert.IsType<Released>(await sending[4]);
    }

    [Fact]
    public async Task An_outcome_that_the_peer_has_not_settled_is_settled_by_us()
    {
        var link = await SenderByHand.OpenAsync();
        link.GiveCredit(3);
        var sending = Enumerable.Range(0, 3).Select(_ => link.SendAsync(1)).ToArray();
        for (var i = 0; i < 3; i++)
            link.Peer.NextTransfer();

        link.Say(0, 0, new Received(0, 5), settled: false);
        Assert.False(sending[0].IsCompleted);
        link.Peer.NothingMore();

        link.Say(0, 2, Accepted.Instance, settled: false);
        await Task.WhenAll(sending);
        var settled = link.Peer.Next<Disposition>();
        Assert.Equal((Role.Sender, 0u, 2u, true), (settled.Role, settled.First, settled.Last, settled.Settled));
        link.Peer.NothingMore();

        // Once is enough, however often the peer says it, and nothing is kept of it.
        link.Say(0, 2, Accepted.Instance, settled: false);
        link.Peer.NothingMore();
    }

    [Fact]
    public async Task Settled_without_a_state_is_the_sources_default()
    {
        var link = await SenderByHand.OpenAsync();
        link.GiveCredit(1);
        var sending = link.SendAsync(1);
        link.Say(0, null, null);
        Assert.IsType<Released>(await sending);
    }

    [Fact]
    public async Task A_message_larger_than_a_frame_is_cut_into_several()
    {
        var link = await SenderByHand.OpenAsync(maxFrameSize: 512);
        link.GiveCredit(1);
        var sending = link.SendAsync(1200);
        var (first, start) = link.Peer.NextTransfer();
        var (second, middle) = link.Peer.NextTransfer();
        var (third, end) = link.Peer.NextTransfer();
        link.Peer.NothingMore();

        Assert.Equal((true, true, false), (first.More, second.More, third.More));
        Assert.Equal(SenderByHand.Bytes(1200), start.Concat(middle).Concat(end));
        Assert.InRange(start.Length, 440, 512);
        Assert.Equal((0u, 0u, 0u), (first.DeliveryId, second.DeliveryId, third.DeliveryId));
        Assert.NotNull(first.DeliveryTag);
        link.Say(0, null, Accepted.Instance);
        await sending;
    }

    [Fact]
    public async Task A_message_that_fills_a_frame_to_its_last_byte_is_not_cut()
    {
        const int Frame = 512;
        var link = await SenderByHand.OpenAsync(maxFrameSize: Frame);
        link.GiveCredit(1000);
        var size = Frame;
        int sent;
        do
        {
            _ = link.SendAsync(size--, settled: true);
            sent = link.Peer.Connection.TakeOutgoing().Length;
        }
        while (sent > Frame);

        Assert.Equal(Frame, sent);
    }

    [Fact]
    public async Task The_peers_window_holds_frames_back_and_the_next_message_does_not_overtake()
    {
        var link = await SenderByHand.OpenAsync(window: 2, maxFrameSize: 512);
        link.GiveCredit(5, window: 2);
        _ = link.SendAsync(1200);
        _ = link.SendAsync(1);
        link.Peer.NextTransfer();
        link.Peer.NextTransfer();
        link.Peer.NothingMore();

        link.GiveWindow(2, nextIncomingId: 1);
        Assert.False(link.Peer.NextTransfer().Transfer.More);
        link.Peer.NothingMore();
        link.GiveWindow(1, nextIncomingId: 3);
        Assert.Equal(1u, link.Peer.NextTransfer().Transfer.DeliveryId);
    }

    [Fact]
    public async Task Credit_that_is_drained_is_used_and_then_given_back()
    {
        var link = await SenderByHand.OpenAsync();
        _ = link.SendAsync(1);
        link.GiveCredit(5, drain: true);
        link.Peer.NextTransfer();
        var flow = link.Peer.Next<Flow>();
        Assert.Equal((0u, 5u, 0u, true), (flow.Handle, flow.DeliveryCount, flow.LinkCredit, flow.Drain));

        _ = link.SendAsync(1);
        link.Peer.NothingMore();

        // What it says of draining is what it was told last.
        link.GiveCredit(1, count: 5, echo: true);
        link.Peer.NextTransfer();
        Assert.False(link.Peer.Next<Flow>().Drain);
    }

    [Fact]
    public async Task Who_asks_how_things_stand_is_told()
    {
        var link = await SenderByHand.OpenAsync();
        link.GiveCredit(3, echo: true);
        Assert.Equal(3u, link.Peer.Next<Flow>().LinkCredit);
        link.Peer.Say(new Flow { NextIncomingId = 0, IncomingWindow = 5, NextOutgoingId = 0, OutgoingWindow = 5, Echo = true });
        Assert.Null(link.Peer.Next<Flow>().Handle);
    }

    [Fact]
    public async Task Credit_counts_from_where_the_peer_stood()
    {
        var link = await SenderByHand.OpenAsync();
        link.GiveCredit(2);
        _ = link.SendAsync(1);
        _ = link.SendAsync(1);
        _ = link.SendAsync(1);
        link.Peer.NextTransfer();
        link.Peer.NextTransfer();

        // It had seen one of the two when it said so.
        link.GiveCredit(2, count: 1, nextIncomingId: 1);
        link.Peer.NextTransfer();
        _ = link.SendAsync(1);
        link.Peer.NothingMore();
    }

    [Fact]
    public async Task What_was_called_off_before_it_was_asked_for_is_never_sent()
    {
        var link = await SenderByHand.OpenAsync();
        link.GiveCredit(5);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => link.SendAsync(1, cancel: new CancellationToken(canceled: true)));
        link.Peer.NothingMore();
    }

    [Fact]
    public async Task What_was_called_off_before_it_left_is_never_sent()
    {
        var link = await SenderByHand.OpenAsync();
        using var cancel = new CancellationTokenSource();
        var first = link.SendAsync(1, cancel: cancel.Token);
        var second = link.SendAsync(2);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);

        link.GiveCredit(5);
        Assert.Equal(2, link.Peer.NextTransfer().Payload.Length);
        link.Peer.NothingMore();
        link.Say(0, null, Accepted.Instance);
        await second;
    }

    [Fact]
    public async Task What_was_called_off_after_it_left_is_settled_without_a_word()
    {
        var link = await SenderByHand.OpenAsync();
        link.GiveCredit(5);
        using var cancel = new CancellationTokenSource();
        var first = link.SendAsync(1, cancel: cancel.Token);
        link.Peer.NextTransfer();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);

        link.Say(0, null, Accepted.Instance, settled: false);
        Assert.True(link.Peer.Next<Disposition>().Settled);
        var second = link.SendAsync(1);
        link.Say(1, null, Accepted.Instance);
        await second;
    }

    [Fact]
    public async Task What_was_called_off_on_its_way_ends_the_link_and_what_waits_behind_it_learns_why()
    {
        var link = await SenderByHand.OpenAsync(window: 1, maxFrameSize: 512);
        link.GiveCredit(5, window: 1);
        using var cancel = new CancellationTokenSource();
        var first = link.SendAsync(1200, cancel: cancel.Token);
        var second = link.SendAsync(1);
        Assert.True(link.Peer.NextTransfer().Transfer.More);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);

        Assert.True(link.Peer.Next<Detach>().Closed);
        var ended = await Assert.ThrowsAsync<AmqpException>(() => second);
        Assert.Equal((AmqpLevel.Link, null, false), (ended.Level, ended.Condition, ended.IsFromPeer));
        Assert.Equal(ended.Description, Assert.Single(link.Closed).Description);
        link.GiveWindow(5, nextIncomingId: 1);
        link.Peer.NothingMore();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Whoever_sends_is_told_once_all_of_a_message_has_left_and_not_before(uint window)
    {
        var link = await SenderByHand.OpenAsync(window: window, maxFrameSize: 512);
        link.GiveCredit(5, window: window);
        using var cancel = new CancellationTokenSource();
        var left = 0;
        var sending = link.Sender.SendAsync(SenderByHand.Bytes(1200), 0, settled: false, () => left++, cancel.Token).AsTask();
        Assert.Equal(window == 1 ? 0 : 1, left);

        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending);
        Assert.Equal(window == 1 ? 0 : 1, left);
    }

    [Fact]
    public async Task A_message_that_the_peer_refuses_before_it_has_all_of_it_ends_the_link()
    {
        var link = await SenderByHand.OpenAsync(window: 1, maxFrameSize: 512);
        link.GiveCredit(5, window: 1);
        var sending = link.SendAsync(1200);
        link.Peer.NextTransfer();
        link.Say(0, null, new Rejected());
        Assert.IsType<Rejected>(await sending);
        link.GiveCredit(5, window: 5, nextIncomingId: 1, drain: true, echo: true);
        Assert.True(link.Peer.Next<Detach>().Closed);

        // Of a link that has ended nothing more is told.
        link.Peer.NothingMore();
        await Assert.ThrowsAsync<AmqpException>(() => link.SendAsync(1));
    }

    [Fact]
    public async Task A_message_larger_than_the_peer_takes_is_not_sent()
    {
        var link = await SenderByHand.OpenAsync(maxMessageSize: 100);
        link.GiveCredit(5);
        var refused = await Assert.ThrowsAsync<AmqpException>(() => link.SendAsync(101));
        Assert.Equal(ErrorConditions.MessageSizeExceeded, refused.Condition);
        link.Peer.NothingMore();
        _ = link.SendAsync(100);
        link.Peer.NextTransfer();
    }

    [Fact]
    public async Task A_peer_whose_largest_message_has_no_bytes_takes_messages_of_any_size()
    {
        var link = await SenderByHand.OpenAsync(maxMessageSize: 0);
        link.GiveCredit(5);
        _ = link.SendAsync(1);
        link.Peer.NextTransfer();
        Assert.Null(link.Sender.MaxMessageSize);
    }

    [Fact]
    public async Task A_link_for_settled_messages_sends_no_others()
    {
        var link = await SenderByHand.OpenAsync(mode: SenderSettleMode.Settled);
        await Assert.ThrowsAsync<ArgumentException>(() => link.SendAsync(1));
    }

    [Fact]
    public async Task Messages_beyond_what_is_gathered_wait_for_the_writer()
    {
        var link = await SenderByHand.OpenAsync();
        link.GiveCredit(100);
        var sending = Enumerable.Range(0, 10).Select(_ => link.SendAsync(100_000, settled: true)).ToArray();
        var gone = sending.Count(one => one.IsCompleted);
        Assert.InRange(gone, 1, 4);

        Assert.InRange(link.Peer.Connection.TakeOutgoing().Length, 256 * 1024, 512 * 1024);
        Assert.InRange(sending.Count(one => one.IsCompleted), gone + 1, 9);
        while (!link.Peer.Connection.TakeOutgoing().IsEmpty)
        {
        }

        await Task.WhenAll(sending);
    }

    [Fact]
    public async Task When_the_peer_detaches_everything_that_waits_learns_why()
    {
        var link = await SenderByHand.OpenAsync();
        link.GiveCredit(1);
        var sent = link.SendAsync(1);
        var waiting = link.SendAsync(1);
        link.Peer.NextTransfer();

        link.Peer.Say(new Detach { Handle = SenderByHand.Theirs, Closed = true, Error = new AmqpError(ErrorConditions.DetachForced, "gone") });
        Assert.True(link.Peer.Next<Detach>().Closed);
        foreach (var send in (Task[])[sent, waiting, link.SendAsync(1)])
        {
            var ended = await Assert.ThrowsAsync<AmqpException>(() => send);
            Assert.Equal((AmqpLevel.Link, ErrorConditions.DetachForced, "gone", true), (ended.Level, ended.Condition, ended.Description, ended.IsFromPeer));
        }

        Assert.Single(link.Closed);
        await link.Sender.CloseAsync(default);
        link.Peer.NothingMore();
        await link.Peer.BeginAsync();
    }

    [Fact]
    public async Task What_was_sent_on_another_link_of_the_session_is_still_waited_for()
    {
        const uint Another = SenderByHand.Theirs + 1;
        var link = await SenderByHand.OpenAsync();
        link.GiveCredit(1);
        var sent = link.SendAsync(1);
        link.Peer.NextTransfer();
        var opening = link.Session.OpenSenderAsync(new SenderOptions { Name = "another", Target = new Target { Address = "orders" } }, default).AsTask();
        var attach = link.Peer.Next<Attach>();
        link.Peer.Say(new Attach { Name = attach.Name, Handle = Another, Role = Role.Receiver, Source = attach.Source, Target = attach.Target });
        await opening;

        link.Peer.Say(new Detach { Handle = Another, Closed = true });

        Assert.False(sent.IsCompleted);
        link.Say(0, null, Accepted.Instance);
        Assert.IsType<Accepted>(await sent);
    }

    [Fact]
    public async Task A_transfer_to_a_link_on_which_we_send_ends_the_session()
    {
        var link = await SenderByHand.OpenAsync();
        link.Peer.Say(new Transfer { Handle = SenderByHand.Theirs, DeliveryId = 0, DeliveryTag = [1] });
        Assert.Equal(ErrorConditions.NotAllowed, link.Peer.Next<End>().Error!.Condition);
        Assert.Equal(AmqpLevel.Session, Assert.Single(link.Closed).Level);
    }
}
