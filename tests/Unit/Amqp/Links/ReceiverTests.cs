using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Links;

public sealed class ReceiverTests
{
    [Fact]
    public async Task A_message_arrives_whole_with_all_that_is_said_of_it()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Transfer(100);
        var delivery = Assert.Single(link.Arrived);
        Assert.Equal(SenderByHand.Bytes(100), delivery.Payload);
        Assert.Equal((0u, 5u, false), (delivery.Id, delivery.MessageFormat, delivery.IsSettled));
        Assert.Equal([1, 2, 3], delivery.Tag);
        Assert.Same(link.Receiver, delivery.Receiver);
    }

    [Fact]
    public async Task Pieces_of_a_message_are_put_together()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Transfer(3, more: true);
        link.Transfer(5, more: true, isFirst: false, id: 0);
        Assert.Empty(link.Arrived);
        link.Transfer(2, isFirst: false, settled: true);
        Assert.Equal([0, 1, 2, 0, 1, 2, 3, 4, 0, 1], link.Arrived.Single().Payload);
        Assert.True(link.Arrived[0].IsSettled);
    }

    [Fact]
    public async Task An_aborted_message_never_arrives_and_costs_no_credit()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Peer.Next<Flow>();
        link.Transfer(3, more: true);
        link.Peer.NothingMore();
        link.Transfer(0, aborted: true, isFirst: false);
        var flow = link.Peer.Next<Flow>();
        Assert.Equal((1u, 5u), (flow.DeliveryCount, flow.LinkCredit));

        link.Transfer(1);
        Assert.Equal(1u, Assert.Single(link.Arrived).Id);
        Assert.Equal(4u, link.Receiver.Credit);
    }

    [Fact]
    public async Task A_delivery_is_settled_when_the_peer_says_so()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Peer.Next<Flow>();
        link.Transfer(1);
        var settling = Settle(link, 0, Accepted.Instance);
        var told = link.Peer.Next<Disposition>();
        Assert.Equal((Role.Receiver, 0u, null, false), (told.Role, told.First, told.Last, told.Settled));
        Assert.IsType<Accepted>(told.State);

        link.Say(0, null, Accepted.Instance, settled: false);
        Assert.False(settling.IsCompleted);
        link.Say(0, null, new Rejected(new AmqpError("com.example:lost")));
        Assert.Equal("com.example:lost", Assert.IsType<Rejected>(await settling).Error!.Condition.Value);
        Assert.True(link.Arrived[0].IsSettled);
        Assert.Null(link.Session.Unsettled.Arrived.Find(0));
    }

    [Fact]
    public async Task A_peer_that_settles_without_a_state_agrees()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Transfer(1);
        var settling = Settle(link, 0, new Modified(UndeliverableHere: true));
        link.Say(0, null, null);
        Assert.True(Assert.IsType<Modified>(await settling).UndeliverableHere);
    }

    [Fact]
    public async Task Neighbours_that_are_settled_alike_share_a_frame()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 9);
        link.Peer.Next<Flow>();
        for (var i = 0; i < 6; i++)
            link.Transfer(1);
        var settling = Enumerable.Range(0, 6).Where(i => i != 3).Select(i => Settle(link, i, i < 5 ? Accepted.Instance : Released.Instance)).ToArray();

        Assert.Equal((0u, 2u), Range(link.Peer.Next<Disposition>()));
        Assert.Equal((4u, null), Range(link.Peer.Next<Disposition>()));
        var released = link.Peer.Next<Disposition>();
        Assert.Equal((5u, null), Range(released));
        Assert.IsType<Released>(released.State);
        link.Peer.NothingMore();

        link.Say(0, 5, null);
        await Task.WhenAll(settling);

        static (uint, uint?) Range(Disposition disposition) => (disposition.First, disposition.Last);
    }

    [Fact]
    public async Task What_the_writer_has_taken_is_not_joined_any_more()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 9);
        link.Peer.Next<Flow>();
        link.Transfer(1);
        link.Transfer(1);
        _ = Settle(link, 0, Accepted.Instance);
        Assert.Null(link.Peer.Next<Disposition>().Last);
        _ = Settle(link, 1, Accepted.Instance);
        Assert.Equal(1u, link.Peer.Next<Disposition>().First);
    }

    [Fact]
    public async Task Settled_at_once_is_forgotten_at_once()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Peer.Next<Flow>();
        link.Transfer(1);
        link.Receiver.Settle(link.Arrived[0], Accepted.Instance);
        Assert.True(link.Peer.Next<Disposition>().Settled);
        Assert.True(link.Arrived[0].IsSettled);
        Assert.Null(link.Session.Unsettled.Arrived.Find(0));
        Assert.Throws<AmqpException>(() => link.Receiver.Settle(link.Arrived[0], Accepted.Instance));
    }

    [Fact]
    public async Task What_the_peer_has_settled_by_itself_can_be_settled_no_more()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Transfer(1);
        link.Say(0, null, new Rejected(new AmqpError("com.example:expired")));
        var late = await Assert.ThrowsAsync<AmqpException>(() => Settle(link, 0, Accepted.Instance));
        Assert.Equal((AmqpLevel.Link, ErrorConditions.IllegalState), (late.Level, late.Condition));
        Assert.Equal("com.example:expired", late.Error!.Condition.Value);
        Assert.Null(link.Receiver.Failure);
    }

    [Fact]
    public async Task A_settlement_that_nobody_waits_for_any_more_may_be_asked_for_again()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Transfer(1);
        using var cancel = new CancellationTokenSource();
        var first = link.Receiver.SettleAsync(link.Arrived[0], Accepted.Instance, cancel.Token).AsTask();
        await Assert.ThrowsAsync<InvalidOperationException>(() => Settle(link, 0, Accepted.Instance));
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);

        var second = Settle(link, 0, Accepted.Instance);
        link.Say(0, null, Accepted.Instance);
        await second;
    }

    [Fact]
    public async Task What_is_forgotten_while_a_settlement_is_waited_for_is_kept_until_nobody_waits()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Transfer(1);
        using var cancel = new CancellationTokenSource();
        var settling = link.Receiver.SettleAsync(link.Arrived[0], Accepted.Instance, cancel.Token).AsTask();

        link.Receiver.Forget(link.Arrived[0]);
        Assert.False(link.Arrived[0].IsSettled);
        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => settling);
        Assert.True(link.Arrived[0].IsSettled);
        Assert.Null(link.Receiver.Session.Unsettled.Arrived.Find(0));
    }

    [Fact]
    public async Task It_is_known_whether_a_settlement_was_told_before_its_link_ended()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Transfer(1);
        link.Transfer(1);
        var told = Settle(link, 0, Accepted.Instance);
        link.Peer.Say(new Detach { Handle = ReceiverByHand.Theirs, Closed = true });
        await Assert.ThrowsAsync<AmqpException>(() => told);
        await Assert.ThrowsAsync<AmqpException>(() => Settle(link, 1, Accepted.Instance));

        Assert.Equal([true, false], link.Arrived.Select(delivery => delivery.IsTold));
    }

    [Fact]
    public async Task A_delivery_is_settled_only_by_its_own_link()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Transfer(1);
        var other = await ReceiverByHand.OpenAsync();
        Assert.Throws<ArgumentException>(() => other.Receiver.Settle(link.Arrived[0], Accepted.Instance));
    }

    [Fact]
    public async Task When_the_session_ends_settlements_learn_why()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Transfer(1);
        link.Transfer(1);
        var settling = Settle(link, 0, Accepted.Instance);
        link.Peer.Say(new End(new AmqpError(ErrorConditions.InternalError, "oh")));
        Assert.Equal(AmqpLevel.Session, (await Assert.ThrowsAsync<AmqpException>(() => settling)).Level);
        Assert.Equal("oh", (await Assert.ThrowsAsync<AmqpException>(() => Settle(link, 1, Accepted.Instance))).Description);
        Assert.Single(link.Closed);
    }

    [Fact]
    public async Task What_comes_together_is_told_together()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 9);
        using var writer = new AmqpWriter();
        for (uint id = 0; id < 3; id++)
        {
            var start = Frame.Begin(writer, FrameType.Amqp, 0);
            new Transfer { Handle = ReceiverByHand.Theirs, DeliveryId = id, DeliveryTag = [1] }.Encode(writer);
            Frame.End(writer, start);
        }

        link.Peer.SayBytes(writer.Written);
        Assert.Equal([3], link.Bursts);
        link.SayFlow(3, 6);
        Assert.Equal([3], link.Bursts);
        link.Transfer(1, id: 3);
        Assert.Equal([3, 4], link.Bursts);
    }

    [Fact]
    public async Task A_message_of_just_the_size_that_is_taken_arrives_in_however_many_pieces()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5, maxMessageSize: 10);
        link.Transfer(10);
        link.Transfer(10, more: true);
        link.Transfer(0, isFirst: false);

        Assert.Equal([10, 10], link.Arrived.Select(delivery => delivery.Payload.Length));
    }

    [Fact]
    public async Task What_still_comes_on_a_link_that_we_have_ended_keeps_its_place_in_the_order_of_the_session()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        var (_, handle) = await link.OpenAnotherAsync();
        link.Peer.Next<Flow>();
        link.Peer.Say(new Transfer { Handle = handle, DeliveryId = 0, DeliveryTag = [1], More = true }, payload: new byte[ReceiverByHand.MostOfAnother + 1]);
        Assert.Equal(ErrorConditions.MessageSizeExceeded, link.Peer.Next<Detach>().Error!.Condition);

        link.Peer.Say(new Transfer { Handle = handle, DeliveryId = 1, DeliveryTag = [1] });
        link.Transfer(1, id: 2);
        link.Peer.Say(new Transfer { Handle = handle, DeliveryId = 3, DeliveryTag = [1], More = true });
        link.Transfer(1, id: 4);
        link.Peer.Say(new Transfer { Handle = handle, DeliveryId = 3 });
        link.Transfer(1, id: 5);

        Assert.Equal([2u, 4u, 5u], link.Arrived.Select(delivery => delivery.Id));
        Assert.Null(link.Session.Failure);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_message_larger_than_is_taken_ends_the_link_whether_it_would_go_on_or_not(bool goesOn)
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5, maxMessageSize: 10);
        link.Peer.Next<Flow>();
        link.Transfer(6, more: true);
        link.Transfer(5, more: goesOn, isFirst: false);
        Assert.Empty(link.Arrived);
        Assert.Equal(ErrorConditions.MessageSizeExceeded, link.Peer.Next<Detach>().Error!.Condition);
        Assert.Equal(ErrorConditions.MessageSizeExceeded, Assert.Single(link.Closed).Condition);

        // What it sent before it heard of that is passed over, and its session goes on.
        link.Transfer(1);
        link.Peer.Say(new Detach { Handle = ReceiverByHand.Theirs, Closed = true });
        Assert.Empty(link.Arrived);
        Assert.Null(link.Session.Failure);
    }

    [Fact]
    public async Task A_message_without_credit_ends_the_link()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 1);
        link.Peer.Next<Flow>();
        link.Transfer(1);
        link.Transfer(1);
        Assert.Single(link.Arrived);
        Assert.Equal(ErrorConditions.TransferLimitExceeded, link.Peer.Next<Detach>().Error!.Condition);
    }

    [Fact]
    public async Task A_delivery_out_of_its_order_ends_the_session()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Peer.Next<Flow>();
        link.Transfer(1, id: 4);
        link.Transfer(1, id: 6);
        Assert.Equal(ErrorConditions.InvalidField, link.Peer.Next<End>().Error!.Condition);
        Assert.Equal(AmqpLevel.Session, link.Receiver.Failure!.Level);
    }

    [Fact]
    public async Task A_delivery_that_begins_within_another_ends_the_session()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Peer.Next<Flow>();
        link.Transfer(1, more: true);
        link.Transfer(1);
        Assert.Equal(ErrorConditions.InvalidField, link.Peer.Next<End>().Error!.Condition);
    }

    [Fact]
    public async Task A_delivery_of_a_number_that_is_taken_still_ends_the_session()
    {
        const uint FarAhead = int.MaxValue;
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        var (other, handle) = await link.OpenAnotherAsync();
        link.Transfer(1);

        // What comes for a link that takes no more is not looked at, and so leads once round all numbers.
        link.Peer.Say(new Transfer { Handle = handle, DeliveryId = 1, DeliveryTag = [4] }, payload: SenderByHand.Bytes(ReceiverByHand.MostOfAnother + 1));
        Assert.NotNull(other.Failure);
        foreach (var id in (uint[])[FarAhead, unchecked(2 * FarAhead), uint.MaxValue])
            link.Peer.Say(new Transfer { Handle = handle, DeliveryId = id, DeliveryTag = [4] });
        link.Transfer(1, id: 0);

        Assert.Equal((AmqpLevel.Session, ErrorConditions.InvalidField), (link.Receiver.Failure!.Level, link.Receiver.Failure.Condition));
    }

    [Fact]
    public async Task A_delivery_without_a_name_ends_the_session()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Peer.Next<Flow>();
        link.Transfer(1, isFirst: false);
        Assert.Equal(ErrorConditions.InvalidField, link.Peer.Next<End>().Error!.Condition);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task One_who_throws_at_a_delivery_or_after_the_last_that_came_together_ends_the_connection(bool isAfter)
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Peer.Next<Flow>();
        if (isAfter)
            link.AlsoAfterBurst = () => throw new InvalidOperationException("a bug");
        else
            link.Also = _ => throw new InvalidOperationException("a bug");
        link.Transfer(1);
        Assert.Equal(ErrorConditions.InternalError, link.Peer.Next<Close>().Error!.Condition);
        Assert.Contains("a bug", Assert.Single(link.Peer.Closed).Message);
    }

    private static Task<DeliveryState> Settle(ReceiverByHand link, int index, DeliveryState state) =>
        link.Receiver.SettleAsync(link.Arrived[index], state, default).AsTask();
}
