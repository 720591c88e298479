using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Unit.Amqp;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>For how long a token that was shown on a connection is gone by, with a peer by hand.</summary>
public sealed class LineTests : IDisposable
{
    private const uint Theirs = 9;

    private static readonly EntityName s_orders = EntityName.Parse("orders");
    private static readonly TimeSpan s_untilRenewed = TimeSpan.FromMinutes(48);

    private readonly PeerByHand _peer = PeerByHand.Opened();
    private readonly NodeByHand _authority;
    private readonly Line _line;

    public LineTests()
    {
        _authority = new NodeByHand { Peer = _peer, LastAnswer = new(_peer.Time) };
        var address = NamespaceAddress.OfHost("one.servicebus.windows.net");
        var tokens = new KeyTokens(new SharedAccessKey("me", "secret"), _peer.Time);
        _line = new Line(_peer.Connection, new ServiceBusBrokerOptions { TimeProvider = _peer.Time }, address, tokens, new Problems(address, tokens));
    }

    public void Dispose() => _peer.Break();

    [Fact]
    public async Task Who_is_told_that_he_may_not_use_an_entity_shows_a_new_token_the_next_time()
    {
        await IsRefusedAsync(Conditions.Unauthorized);

        _ = OpenReceiverAsync();

        _authority.NextRequest(out string operation);
        Assert.Equal("put-token", operation);
    }

    [Fact]
    public async Task Who_is_refused_for_another_reason_need_not()
    {
        await IsRefusedAsync(Conditions.NotFound);

        _ = OpenReceiverAsync();

        _peer.Next<Begin>();
    }

    [Fact]
    public async Task A_renewal_that_ends_with_the_connection_is_not_tried_again()
    {
        var opening = OpenReceiverAsync();
        Grant();
        var (channel, attach) = NextAttach();
        _peer.Say(new Attach { Name = attach.Name, Handle = Theirs, Role = Role.Sender, Source = attach.Source, Target = attach.Target, InitialDeliveryCount = 0 }, channel);
        Assert.True(opening.IsCompletedSuccessfully);
        await opening;
        _peer.Time.Advance(s_untilRenewed);
        _authority.NextRequest();

        _peer.Break();

        Assert.Null(_peer.Time.UntilNextTimer);
    }

    private Task<AmqpReceiver> OpenReceiverAsync() =>
        _line.OpenReceiverAsync(s_orders, new ReceiverOptions { Source = new Source { Address = "orders" }, OnDelivery = _ => { } }, TimeSpan.Zero, default).AsTask();

    private void Grant()
    {
        _authority.Attach();
        _authority.Answer(_authority.NextRequest());
    }

    private (ushort Channel, Attach Attach) NextAttach()
    {
        var (channel, _) = _peer.NextOn<Begin>();
        _peer.Say(new Begin { RemoteChannel = channel, NextOutgoingId = 0, IncomingWindow = 1000, OutgoingWindow = 1000 }, channel);
        return _peer.NextOn<Attach>();
    }

    private async Task IsRefusedAsync(string condition)
    {
        var opening = OpenReceiverAsync();
        Grant();
        var (channel, attach) = NextAttach();
        _peer.Say(new Attach { Name = attach.Name, Handle = Theirs, Role = Role.Sender, InitialDeliveryCount = 0 }, channel);
        _peer.Say(new Detach { Handle = Theirs, Closed = true, Error = new AmqpError(condition) }, channel);
        Assert.True(opening.IsFaulted);
        Assert.Equal(condition, (await Assert.ThrowsAsync<AmqpException>(() => opening)).Condition?.Value);
        _peer.Next<Detach>();
        _peer.Next<End>();
    }
}
