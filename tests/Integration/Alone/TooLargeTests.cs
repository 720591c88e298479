namespace Holdfast.Tests.Integration;

/// <summary>A server that takes only small messages.</summary>
[Collection(nameof(Alone))]
public sealed class TooLargeTests : IClassFixture<VirtualHost>
{
    private const int Usual = 128 << 20;
    private const int Small = 1000;

    private readonly VirtualHost _vhost;

    public TooLargeTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task A_message_that_is_too_large_is_refused_for_good_and_no_other()
    {
        await using var broker = _vhost.NewBroker();
        await using var sender = await broker.OpenSenderAsync(_vhost.NewQueue(), default);
        await using var other = await broker.OpenSenderAsync(_vhost.NewQueue(), default);
        await AllowAsync(Small);
        try
        {
            var sendings = Port.Names(20).Select(id => Record.ExceptionAsync(() => sender.SendAsync(id)).AsTask()).ToArray();
            var large = Record.ExceptionAsync(() => sender.SendAsync(new Message { Id = "large", Body = new byte[Small + 1] })).AsTask();
            await Task.WhenAll(Port.Names(20).Select(id => other.SendAsync(id)));

            var refused = Assert.IsType<BrokerException>(await large);
            Assert.False(refused.IsTransient);
            Assert.Contains("max_message_size", refused.Message);
            Assert.All(await Task.WhenAll(sendings), problem => Assert.True(problem is null or BrokerException { IsTransient: true }, problem?.Message));
            await sender.SendAsync("next");

            var again = Record.ExceptionAsync(() => sender.SendAsync(new Message { Id = "large", Body = new byte[Small + 1] })).AsTask();
            await Task.WhenAll(Port.Names(20).Select(id => sender.SendAsync(id)));
            Assert.Equal(refused.Message, Assert.IsType<BrokerException>(await again).Message);
        }
        finally
        {
            await AllowAsync(Usual);
        }
    }

    private async Task AllowAsync(int size) => await _vhost.Server.Node.ControlAsync("eval", $"application:set_env(rabbit, max_message_size, {size}).");
}
