using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Unit.Amqp.Links;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>A message whose lease is lost, on a link that lives.</summary>
public sealed class LettingGoTests
{
    [Fact]
    public async Task What_is_let_go_is_told_to_nobody_and_not_kept()
    {
        var link = await ReceiverByHand.OpenAsync(credit: 5);
        link.Transfer(100);
        link.Peer.Next<Flow>();
        var receiver = NewReceiver(link.Peer.Time);

        receiver.LetGo(new ServiceBusDelivery
        {
            Entity = EntityName.Parse("orders"),
            Message = new Message { Id = "1" },
            Original = new(),
            LockToken = Guid.NewGuid(),
            SequenceNumber = 1,
            Arrival = new Arrival(link.Receiver, link.Arrived[0]),
            DeliveryCount = 1,
            EnqueuedAt = link.Peer.Time.GetUtcNow(),
            ArrivedAt = 0,
            LockDuration = TimeSpan.FromSeconds(30),
        });

        link.Peer.NothingMore();
        Assert.Null(link.Session.Unsettled.Arrived.Find(link.Arrived[0].Id));
    }

    private static ServiceBusReceiver NewReceiver(TimeProvider time)
    {
        var options = new ServiceBusBrokerOptions { TimeProvider = time };
        var address = NamespaceAddress.OfHost("one.servicebus.windows.net");
        var tokens = new KeyTokens(new SharedAccessKey("me", "secret"), time);
        return new ServiceBusReceiver("orders", EntityName.Parse("orders"), new Dialer(options, address, tokens, new Problems(address, tokens)), new BrokerClock(time), options, _ => { });
    }
}
