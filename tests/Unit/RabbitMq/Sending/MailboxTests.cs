using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class MailboxTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_leastUse = TimeSpan.FromSeconds(5);

    private readonly FakeConnection _old = FakeConnection.Open();
    private readonly FakeConnection _next = FakeConnection.Open();
    private readonly TaskCompletionSource _opening = new();
    private readonly TaskCompletionSource _leaving = new();
    private readonly TaskCompletionSource _never = new();
    private readonly VirtualTime _time = new();
    private readonly Mailbox _mailbox;

    public MailboxTests() => _mailbox = new Mailbox(_time);

    [Fact]
    public async Task Who_comes_late_with_a_connection_that_has_ended_takes_nobody_s_place()
    {
        await _old.EndAsync();
        var bag = _mailbox.BagOn(_next.Connection);

        var late = _mailbox.BagOn(_old.Connection);

        await Assert.ThrowsAsync<AlreadyClosedException>(() => SendAsync(late, Publish).WaitAsync(s_patience));
        Assert.Same(bag, _mailbox.BagOn(_next.Connection));
        Assert.Single(_next.Channels);
    }

    [Fact]
    public async Task What_waits_in_a_bag_that_another_follows_is_told_of_the_end_of_its_connection()
    {
        _old.Opening = () => _opening.Task;
        var sending = SendAsync(_mailbox.BagOn(_old.Connection), PublishForEver);
        _mailbox.BagOn(_next.Connection);
        _opening.SetResult();
        await _leaving.Task.WaitAsync(s_patience);

        await _old.EndAsync();

        await Assert.ThrowsAsync<AlreadyClosedException>(() => sending.WaitAsync(s_patience));
        Assert.Equal(0, _old.Listeners);
    }

    [Fact]
    public async Task A_bag_that_another_follows_listens_no_longer_than_somebody_waits_in_it()
    {
        using var callOff = new CancellationTokenSource();
        _old.Opening = () => _opening.Task;
        var sending = SendAsync(_mailbox.BagOn(_old.Connection), Publish, callOff.Token);
        _mailbox.BagOn(_next.Connection);
        Assert.Equal(1, _old.Listeners);

        await callOff.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.WaitAsync(s_patience));
        Assert.Equal(0, _old.Listeners);
    }

    [Fact]
    public async Task A_channel_whose_queue_was_full_gives_way_to_another_that_hears_whether_it_still_is()
    {
        await SendRefusedAsync();
        _time.Advance(s_leastUse);

        await SendAsync(_mailbox.BagOn(_next.Connection), Publish);

        Assert.Equal([true, false], _next.Channels.Select(channel => channel.IsDisposed));
    }

    [Fact]
    public async Task A_queue_that_stays_full_does_not_cost_a_channel_for_each_message()
    {
        for (var i = 0; i < 9; i++)
        {
            await SendRefusedAsync();
            _time.Advance(s_leastUse / 4);
        }

        Assert.Equal([true, true, false], _next.Channels.Select(channel => channel.IsDisposed));
    }

    [Fact]
    public async Task A_channel_stays_where_the_queue_took_what_came_last_or_something_is_on_its_way()
    {
        await SendRefusedAsync();
        await SendAsync(_mailbox.BagOn(_next.Connection), Publish);
        _time.Advance(s_leastUse);
        var underWay = SendAsync(_mailbox.BagOn(_next.Connection), PublishForEver);
        await SendRefusedAsync();

        await SendAsync(_mailbox.BagOn(_next.Connection), Publish);

        Assert.False(Assert.Single(_next.Channels).IsDisposed);
        Assert.False(underWay.IsCompleted);
    }

    private static Task Publish(IChannel channel) => Task.CompletedTask;

    private async Task SendRefusedAsync()
    {
        var sending = SendAsync(_mailbox.BagOn(_next.Connection), _ => Task.FromException(new PublishException(1, isReturn: false)));
        await Assert.ThrowsAsync<PublishException>(() => sending.WaitAsync(s_patience));
    }

    private Task PublishForEver(IChannel channel)
    {
        _leaving.SetResult();
        return _never.Task;
    }

    private static Task SendAsync(Mailbag bag, Func<IChannel, Task> publish, CancellationToken cancel = default) =>
        bag.SendAsync(publish, left: null, Timeout.InfiniteTimeSpan, cancel);
}
