using Holdfast.Broker.RabbitMq;
using Holdfast.Tests.Kit;

namespace Holdfast.Tests.Integration;

/// <summary>RabbitMQ on a real server, for one test of the contract.</summary>
internal sealed class RabbitMqUnderTest(VirtualHost vhost, QueueType type) : BrokerUnderTest
{
    // Long enough for anything that is under way between two processes of one machine to have arrived.
    private static readonly TimeSpan s_quiet = TimeSpan.FromMilliseconds(300);

    private readonly WatchedBroker _broker = new(vhost.NewBroker(type));

    public override IBroker Broker => _broker;

    public override BrokerFeatures Features =>
        BrokerFeatures.Order | BrokerFeatures.DelayedSends | (type == QueueType.Classic ? BrokerFeatures.Priorities : BrokerFeatures.None);

    public override TimeProvider Time => TimeProvider.System;

    public override bool HasEverybodysTime => true;

    public override TimeSpan Skew => TimeSpan.FromSeconds(1);

    public override TimeSpan Delay => TimeSpan.FromSeconds(1);

    public override ValueTask<string> NewQueueAsync() => ValueTask.FromResult(vhost.NewQueue());

    public override string DeadLettersOf(string queue) => queue + ".dead";

    public override (string? Reason, string? Description) ReasonOf(Delivery deadLetter) =>
        ((string?)deadLetter.Message.Properties[DeadLetterProperties.Reason], (string?)deadLetter.Message.Properties[DeadLetterProperties.Description]);

    public override async ValueTask PassAsync(TimeSpan time) => await Task.Delay(time);

    public override async ValueTask LapseAsync() =>
        await vhost.CloseConnectionsUntilAsync("the receivers to lose their connection", () => !_broker.Receivers.Any(receiver => receiver.IsConnected), "receiving");

    public override async ValueTask QuietAsync() => await Task.Delay(s_quiet);

    public override ValueTask DisposeAsync() => _broker.DisposeAsync();
}
