using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>Looking at messages, with a node by hand.</summary>
public sealed class PeekTests : IAsyncLifetime
{
    private NodeByHand _node = null!;
    private ManagementNode _management = null!;

    public async ValueTask InitializeAsync()
    {
        _node = await NodeByHand.OpenAsync();
        var problems = new Problems(NamespaceAddress.OfHost("one.servicebus.windows.net"), new KeyTokens(new SharedAccessKey("me", "secret"), _node.Time));
        _management = new ManagementNode(_ => ValueTask.FromResult(_node.Link), problems, EntityName.Parse("orders"), new ServiceBusBrokerOptions { TimeProvider = _node.Time });
    }

    public ValueTask DisposeAsync()
    {
        _node.Peer.Break();
        return ValueTask.CompletedTask;
    }

    [Theory]
    [InlineData(204, null)]
    [InlineData(404, Conditions.MessageNotFound)]
    public async Task A_queue_without_messages_has_none_to_show_however_that_is_said(int status, string? condition)
    {
        var looking = _management.PeekAsync(0, 10, default).AsTask();

        _node.Answer(_node.NextRequest(), status, condition);

        Assert.Empty(await looking);
    }

    [Fact]
    public async Task What_can_t_be_read_is_one_of_those_that_are_shown_and_says_so()
    {
        var looking = _management.PeekAsync(0, 10, default).AsTask();

        _node.Answer(_node.NextRequest(), body: new AmqpMap { ["messages"] = new List<object?> { Entry("00 53 75 a0 01 07"), Entry("53 70 41"), Entry("00 53 73 a1 01 'x'"), Entry("00 53 75 a0 01 08") } });

        Assert.Equal([true, false, false, true], (await looking).Select(message => Letter.Unreadable(message) is null));
    }

    [Fact]
    public async Task A_queue_that_is_not_there_is_told()
    {
        var looking = _management.PeekAsync(0, 10, default).AsTask();

        _node.Answer(_node.NextRequest(), 404, Conditions.NotFound);

        Assert.Contains("has no 'orders'", (await Assert.ThrowsAsync<BrokerException>(() => looking)).Message, StringComparison.Ordinal);
    }

    private static AmqpMap Entry(string message) => new() { ["message"] = Amqp.Wire.Bytes(message) };
}
