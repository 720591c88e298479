using Holdfast.Amqp;
using Holdfast.Broker;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>Requests that are answered late or never, with a peer by hand.</summary>
public sealed class RequestLinkTests : IAsyncLifetime
{
    private NodeByHand _node = null!;

    public async ValueTask InitializeAsync() => _node = await NodeByHand.OpenAsync();

    public ValueTask DisposeAsync()
    {
        _node.Peer.Break();
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task While_an_answer_is_awaited_silence_is_looked_into()
    {
        var asking = _node.AskAsync();
        var request = _node.NextRequest();
        _node.Time.Advance(TimeSpan.FromSeconds(2));
        _node.Peer.Connection.OnTick();
        Assert.True(_node.Peer.Next<Flow>().Echo);

        _node.Answer(request);

        Assert.True((await asking).IsSuccess);
        _node.Time.Advance(TimeSpan.FromSeconds(20));
        _node.Peer.Connection.OnTick();
        _node.Peer.NothingMore();
    }

    [Fact]
    public async Task An_opening_that_fails_waits_for_no_more_answers()
    {
        using var enough = new CancellationTokenSource();
        var opening = _node.OpenAnotherAsync(enough.Token);

        await enough.CancelAsync();

        Assert.True(opening.IsCanceled);
        _node.Peer.Next<End>();
    }

    [Fact]
    public async Task A_request_that_was_given_up_does_not_leave_later()
    {
        var node = await NodeByHand.OpenAsync(credit: 0);
        var asking = node.AskAsync("schedule-message");
        node.Time.Advance(NodeByHand.Patience);
        var silent = await Assert.ThrowsAsync<BrokerException>(() => asking);
        Assert.Contains("(schedule-message) for 30 s", silent.Message, StringComparison.Ordinal);

        node.GiveCredit(10);

        node.Peer.NothingMore();
    }

    [Fact]
    public async Task A_request_that_was_called_off_does_not_leave_later()
    {
        var node = await NodeByHand.OpenAsync(credit: 0);
        using var cancel = new CancellationTokenSource();
        var asking = node.AskAsync("schedule-message", cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asking);

        node.GiveCredit(10);

        node.Peer.NothingMore();
    }

    [Fact]
    public async Task A_request_that_was_called_off_on_its_way_ends_the_link_and_who_waits_there_asks_anew_at_once()
    {
        var waiting = _node.AskAsync();
        _node.NextRequest();
        using var cancel = new CancellationTokenSource();
        var large = _node.AskAsync(new string('x', 1_000_000), cancel.Token);

        await cancel.CancelAsync();

        Assert.True(_node.Link.IsOver);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => large);
        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => waiting)).IsTransient);
        Assert.True(_node.Peer.NextTransfer().Transfer.More);
        Assert.True(_node.Peer.NextTransfer().Transfer.More);
        _node.Peer.Next<Detach>();
        _node.Peer.Next<End>();
    }

    [Fact]
    public async Task Where_two_answers_in_a_row_do_not_come_the_link_is_over_and_the_connection_is_not()
    {
        await IsAnsweredAsync();
        await IsNotAnsweredAsync();
        Assert.False(_node.Link.IsOver);

        await IsNotAnsweredAsync();

        Assert.True(_node.Link.IsOver);
        _node.Peer.Next<End>();
        Assert.Null(_node.Peer.Connection.Failure);
    }

    [Fact]
    public async Task An_answer_in_between_says_that_the_link_is_of_use()
    {
        for (var time = 0; time < 3; time++)
        {
            await IsAnsweredAsync();
            await IsNotAnsweredAsync();
        }

        Assert.False(_node.Link.IsOver);
    }

    [Fact]
    public async Task Where_a_link_never_answers_the_connection_is_given_up_and_all_are_told()
    {
        await IsNotAnsweredAsync();
        await IsNotAnsweredAsync();

        Assert.True(_node.Link.IsOver);
        Assert.Contains("2 requests in a row were not answered", Assert.Single(_node.Peer.Closed).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Where_a_link_never_answers_but_another_does_the_connection_stays()
    {
        await IsNotAnsweredAsync();
        var asking = _node.AskAsync();
        _node.NextRequest();
        _node.Time.Advance(TimeSpan.FromSeconds(1));
        _node.Peer.SayBytes([0, 0, 0, 8, 2, 0, 0, 0]);
        _node.LastAnswer.Note();
        _node.Time.Advance(NodeByHand.Patience);
        await Assert.ThrowsAsync<BrokerException>(() => asking);

        Assert.True(_node.Link.IsOver);
        Assert.Null(_node.Peer.Connection.Failure);
    }

    [Fact]
    public async Task Where_nothing_at_all_comes_it_is_not_for_the_link_to_judge()
    {
        for (var time = 0; time < 3; time++)
        {
            var asking = _node.AskAsync();
            _node.NextRequest();
            _node.Time.Advance(NodeByHand.Patience);
            await Assert.ThrowsAsync<BrokerException>(() => asking);
        }

        Assert.False(_node.Link.IsOver);
    }

    [Fact]
    public async Task An_answer_of_which_nothing_can_be_read_ends_the_link_for_nobody_knows_whose_it_is()
    {
        var asking = _node.AskAsync();
        _node.NextRequest();

        _node.Answer([0x53, 0x70]);

        Assert.True(_node.Link.IsOver);
        Assert.Contains("An answer that can't be read", (await Assert.ThrowsAsync<BrokerException>(() => asking)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_answer_whose_body_can_not_be_read_is_told_to_who_asked_and_the_link_stays()
    {
        var asking = _node.AskAsync();

        _node.Answer([.. NodeByHand.AnswerTo(_node.NextRequest(), new() { ["statusCode"] = 200 }), 0x00, 0x53, 0x77, 0xFF]);

        Assert.True(asking.IsFaulted);
        Assert.Contains("an answer to renew-lock that can't be read", (await Assert.ThrowsAsync<BrokerException>(() => asking)).Message, StringComparison.Ordinal);
        Assert.False(_node.Link.IsOver);
    }

    [Fact]
    public async Task An_answer_without_a_status_is_told_to_who_asked_and_the_link_stays()
    {
        var asking = _node.AskAsync();

        _node.Answer(NodeByHand.AnswerTo(_node.NextRequest(), new() { ["errorCondition"] = "none" }));

        Assert.True(asking.IsFaulted);
        Assert.Contains("an answer to renew-lock without a status", (await Assert.ThrowsAsync<BrokerException>(() => asking)).Message, StringComparison.Ordinal);
        Assert.False(_node.Link.IsOver);
    }

    [Fact]
    public async Task An_answer_that_came_unsettled_is_accepted()
    {
        var asking = _node.AskAsync();

        _node.Answer(NodeByHand.AnswerTo(_node.NextRequest(), new() { ["statusCode"] = 200 }), isSettled: false);

        Assert.True((await asking).IsSuccess);
        var disposition = _node.Peer.Next<Disposition>();
        Assert.True(disposition.Settled);
        Assert.IsType<Accepted>(disposition.State);
    }

    [Fact]
    public async Task Each_answer_says_to_other_links_that_one_came()
    {
        var now = _node.Time.GetTimestamp();
        Assert.False(_node.LastAnswer.IsSince(now));

        await IsAnsweredAsync();

        Assert.True(_node.LastAnswer.IsSince(now));
    }

    [Fact]
    public async Task A_request_that_could_not_be_written_is_none_that_was_not_answered()
    {
        await IsAnsweredAsync();
        for (var time = 0; time < 2; time++)
            await Assert.ThrowsAnyAsync<Exception>(() => _node.Link.AskAsync("renew-lock", [], new object(), NodeByHand.Patience, onLeft: null, CancellationToken.None).AsTask());

        _node.Time.Advance(TimeSpan.FromSeconds(1));
        _node.Peer.SayBytes([0, 0, 0, 8, 2, 0, 0, 0]);
        _node.Time.Advance(NodeByHand.Patience);

        Assert.False(_node.Link.IsOver);
    }

    private async Task IsAnsweredAsync()
    {
        var asking = _node.AskAsync();
        _node.Answer(_node.NextRequest());
        Assert.True((await asking).IsSuccess);
    }

    private async Task IsNotAnsweredAsync()
    {
        var asking = _node.AskAsync();
        _node.NextRequest();
        _node.Time.Advance(TimeSpan.FromSeconds(1));
        _node.Peer.SayBytes([0, 0, 0, 8, 2, 0, 0, 0]);
        _node.Time.Advance(NodeByHand.Patience);
        await Assert.ThrowsAsync<BrokerException>(() => asking);
    }
}
