using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class LinkTests : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly CancellationToken s_none = CancellationToken.None;

    private readonly VirtualTime _time = new();
    private readonly Queue<Task<IConnection>> _connections = new();
    private readonly TaskCompletionSource<IConnection> _never = new();
    private readonly List<Link> _links = [];
    private readonly Link _link;

    public LinkTests() => _link = LinkTo("amqp://host");

    public async ValueTask DisposeAsync()
    {
        _never.TrySetCanceled();
        foreach (var link in _links)
            await link.DisposeAsync();
    }

    [Fact]
    public async Task A_server_takes_nothing_until_it_says_that_it_does_again()
    {
        var connection = await OpenAsync();

        await connection.BlockAsync("low on memory");
        Assert.Equal("low on memory", _link.Blocked);
        await connection.UnblockAsync();

        Assert.Null(_link.Blocked);
    }

    [Fact]
    public async Task That_a_server_takes_nothing_ends_with_the_connection_that_said_so()
    {
        var connection = await OpenAsync();
        await connection.BlockAsync("low on memory");

        connection.IsOpen = false;

        Assert.Null(_link.Blocked);
    }

    [Fact]
    public async Task What_an_ended_connection_says_of_itself_is_not_taken_for_the_next_one_s()
    {
        var ended = await OpenAsync();
        ended.IsOpen = false;
        var connection = await OpenAsync();
        await connection.BlockAsync("low on memory");

        await ended.BlockAsync("low on disk");
        await ended.UnblockAsync();

        Assert.Equal("low on memory", _link.Blocked);
    }

    // The client's own words for it are those of a name that can't be resolved.
    [Fact]
    public async Task A_server_that_IPv6_alone_would_lead_to_and_does_not_can_not_be_reached()
    {
        await using var link = new Link(new() { Uri = "amqp://[::1]:1" }, ServerAddress.Parse("amqp://[::1]:1"), "testing");

        var problem = await Assert.ThrowsAsync<BrokerException>(() => link.OpenAsync(s_none).WaitAsync(s_patience));

        Assert.Equal(
            "RabbitMQ at amqp://guest@[::1]:1/ can't be reached (not by IPv6, and its hosts have no IPv4 address). If that goes on, check the hosts in ConnectionStrings__RabbitMq.",
            problem.Message);
        Assert.True(problem.IsTransient);
    }

    [Theory]
    [InlineData("amqp://host", 20)]
    [InlineData("amqp://one,two", 30)]
    public async Task A_server_that_never_answers_a_new_connection_is_told_and_can_be_tried_again(string uri, int patience)
    {
        var link = LinkTo(uri);
        _connections.Enqueue(_never.Task);
        var opening = link.OpenAsync(s_none);

        _time.Advance(TimeSpan.FromSeconds(patience) - TimeSpan.FromTicks(1));
        Assert.False(opening.IsCompleted);
        _time.Advance(TimeSpan.FromTicks(1));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => opening.WaitAsync(s_patience));
        Assert.True(problem.IsTransient);
        Assert.EndsWith(
            $"does not answer a new connection, not within {patience} s. If that goes on, check hosts and ports in ConnectionStrings__RabbitMq: what listens there hangs, or is no RabbitMQ.",
            problem.Message,
            StringComparison.Ordinal);
        _connections.Enqueue(Task.FromResult(FakeConnection.Open().Connection));
        Assert.True((await link.OpenAsync(s_none)).IsOpen);
    }

    [Fact]
    public async Task A_connection_that_comes_when_nobody_waits_for_it_any_more_is_closed()
    {
        var late = FakeConnection.Open();
        _connections.Enqueue(_never.Task);
        var opening = _link.OpenAsync(s_none);
        _time.Advance(TimeSpan.FromSeconds(20));
        await Assert.ThrowsAsync<BrokerException>(() => opening.WaitAsync(s_patience));

        _never.SetResult(late.Connection);

        await late.Disposed.WaitAsync(s_patience);
    }

    [Fact]
    public async Task A_server_that_never_answers_a_new_connection_does_not_hold_up_the_end()
    {
        _connections.Enqueue(_never.Task);
        var opening = _link.OpenAsync(s_none);

        await _link.DisposeAsync().AsTask().WaitAsync(s_patience);

        await Assert.ThrowsAsync<BrokerException>(() => opening.WaitAsync(s_patience));
    }

    private async Task<FakeConnection> OpenAsync()
    {
        var connection = FakeConnection.Open();
        _connections.Enqueue(Task.FromResult(connection.Connection));
        Assert.Same(connection.Connection, await _link.OpenAsync(s_none));
        return connection;
    }

    private Link LinkTo(string uri)
    {
        _links.Add(new(new() { Uri = uri, TimeProvider = _time }, ServerAddress.Parse(uri), "sending", _ => _connections.Dequeue()));
        return _links[^1];
    }
}
