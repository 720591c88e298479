using System.Net;
using System.Net.Sockets;
using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;
using Holdfast.Virtual;

namespace Holdfast.Tests.Integration;

/// <summary>Servers that are not there, or not yet, or no longer.</summary>
public sealed class ReachTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public ReachTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task An_engine_that_finds_no_server_says_so_and_begins_when_there_is_one()
    {
        var queue = _vhost.NewQueue();
        await using (var direct = _vhost.NewBroker())
            await direct.SendAsync(queue, "a");
        await using var proxy = _vhost.Server.NewProxy();
        proxy.Refuse();

        await using var broker = _vhost.NewBroker(port: proxy.Port);
        await using var consuming = await Consuming.StartAsync(broker, queue, (_, _) => new(Settlement.Complete));
        await Eventually.HoldsAsync("the trouble to be told", () => consuming.Queue.Problem is not null);
        Assert.Contains($"127.0.0.1:{proxy.Port}", consuming.Queue.Problem);
        Assert.Equal(EngineState.Running, consuming.Engine.State);

        proxy.Accept();
        await consuming.HandledAsync(1);
        Assert.Null(consuming.Queue.Problem);
    }

    [Fact]
    public async Task Of_several_hosts_the_first_that_answers_is_used()
    {
        var queue = _vhost.NewQueue();
        await using var dead = _vhost.Server.NewProxy();
        await using var alive = _vhost.Server.NewProxy();
        dead.Refuse();
        await using var broker = Broker(dead, alive);

        await broker.SendAsync(queue, "a");
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await receiver.CompleteAsync(await receiver.TakeAsync());

        Assert.True(alive.Open > 0);
    }

    [Fact]
    public async Task When_a_host_goes_the_others_take_over()
    {
        var queue = _vhost.NewQueue();
        await using var first = _vhost.Server.NewProxy();
        await using var second = _vhost.Server.NewProxy();
        second.Refuse();
        await using var broker = Broker(first, second);
        await broker.SendAsync(queue, "a");
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await receiver.TakeAsync();

        second.Accept();
        first.Refuse();
        first.Cut();

        await receiver.CompleteAsync(await receiver.TakeAsync());
        Assert.True(second.Accepted > 0);
    }

    [Fact]
    public async Task Where_something_listens_and_says_nothing_that_is_told_and_the_connection_is_left()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var time = new VirtualTime();
        await using var broker = new RabbitMqBroker(new() { Uri = $"amqp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}", TimeProvider = time });
        var opening = broker.OpenReceiverAsync("orders", default).AsTask();
        using var socket = await listener.AcceptSocketAsync();
        var greeting = new byte[64];
        Assert.NotEqual(0, await socket.ReceiveAsync(greeting));

        time.Advance(TimeSpan.FromSeconds(20));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => opening.WaitAsync(TimeSpan.FromSeconds(30)));
        Assert.Contains("does not answer a new connection", problem.Message);

        // In order or with a reset.
        var end = await Record.ExceptionAsync(async () => Assert.Equal(0, await socket.ReceiveAsync(greeting).WaitAsync(TimeSpan.FromSeconds(30))));
        Assert.True(end is null or SocketException, end?.Message);
    }

    private RabbitMqBroker Broker(TcpProxy one, TcpProxy two) => new(new RabbitMqBrokerOptions
    {
        Uri = _vhost.Server.UriOf(_vhost.Name, one.Port).Replace($":{one.Port}", $":{one.Port},127.0.0.1:{two.Port}", StringComparison.Ordinal),
        Declare = true,
    });
}
