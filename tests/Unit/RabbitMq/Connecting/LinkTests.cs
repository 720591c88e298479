using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class LinkTests : IAsyncDisposable
{
    private static readonly CancellationToken s_none = CancellationToken.None;

    private readonly VirtualTime _time = new();
    private readonly Queue<Task<IConnection>> _connections = new();
    private readonly Link _link;

    public LinkTests() => _link = LinkTo("amqp://host");

    public ValueTask DisposeAsync() => _link.DisposeAsync();

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

    private async Task<FakeConnection> OpenAsync()
    {
        var connection = FakeConnection.Open();
        _connections.Enqueue(Task.FromResult(connection.Connection));
        Assert.Same(connection.Connection, await _link.OpenAsync(s_none));
        return connection;
    }

    private Link LinkTo(string uri) => new(new() { Uri = uri, TimeProvider = _time }, ServerAddress.Parse(uri), "sending", _ => _connections.Dequeue());
}
