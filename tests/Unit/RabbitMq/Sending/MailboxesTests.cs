using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class MailboxesTests
{
    private const int Most = 64;

    private readonly FakeConnection _connection = FakeConnection.Open();
    private readonly TaskCompletionSource _confirming = new();
    private readonly Mailboxes _mailboxes = new(TimeProvider.System);

    [Fact]
    public void Each_queue_has_a_mailbox_of_its_own_while_there_are_no_more_than_the_connection_has_room_for()
    {
        var all = Fill();

        Assert.Equal(Most, all.Distinct().Count());
        Assert.Equal(all, Fill());
    }

    [Fact]
    public void A_further_queue_takes_over_the_one_that_was_idle_for_longest_and_keeps_it()
    {
        var all = Fill();
        _mailboxes.Of("0");

        var further = _mailboxes.Of("further");
        var another = _mailboxes.Of("another");

        Assert.Equal([all[1], all[2]], [further, another]);
        Assert.Equal([further, another, all[0], all[3]], [_mailboxes.Of("further"), _mailboxes.Of("another"), _mailboxes.Of("0"), _mailboxes.Of("3")]);
    }

    [Fact]
    public void Who_gave_way_takes_the_next_one()
    {
        var all = Fill();
        _mailboxes.Of("further");

        Assert.Same(all[1], _mailboxes.Of("0"));
    }

    [Fact]
    public void One_by_which_something_is_on_its_way_is_taken_from_nobody()
    {
        var all = Fill();
        Send(all[0]);

        var further = Enumerable.Range(0, 2 * Most).Select(n => _mailboxes.Of($"further {n}")).ToArray();

        Assert.Same(all[0], _mailboxes.Of("0"));
        Assert.Equal(Most - 1, further.Except([all[0]]).Count());
    }

    [Fact]
    public async Task Where_all_are_busy_a_further_queue_shares_the_same_one_until_nothing_of_its_can_be_on_its_way()
    {
        var all = Fill();
        var sending = all.Select(Send).ToArray();

        var shared = _mailboxes.Of("further");
        Assert.Contains(shared, all);
        Assert.Same(shared, _mailboxes.Of("further"));
        Assert.Equal(all, Fill());

        _confirming.SetResult();
        await Task.WhenAll(sending);
        Assert.Equal([all[0], all[1]], [_mailboxes.Of("further"), _mailboxes.Of("another")]);
    }

    [Fact]
    public void Nothing_that_is_sent_to_a_queue_overtakes_what_may_be_on_its_way_to_it()
    {
        var all = Fill();
        Assert.DoesNotContain(all.Select(Send).ToArray(), sent => sent.IsCompleted);
        var shared = _mailboxes.Of("further");

        // All others are idle on the next connection.
        var next = FakeConnection.Open();
        foreach (var mailbox in all.Except([shared]))
            mailbox.BagOn(next.Connection);

        Assert.Same(shared, _mailboxes.Of("further"));
    }

    private Mailbox[] Fill() => [.. Enumerable.Range(0, Most).Select(n => _mailboxes.Of($"{n}"))];

    private Task Send(Mailbox mailbox) => mailbox.BagOn(_connection.Connection).SendAsync(_ => _confirming.Task, left: null, Timeout.InfiniteTimeSpan, default);
}
