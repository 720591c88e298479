using Holdfast.Tests.Kit;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>A client of Service Bus, as the broker of our tests speaks it, for one test of the contract. Its time is moved by hand.</summary>
internal sealed class ServiceBusUnderTest(PrivateNamespace server, IBroker broker) : BrokerUnderTest
{
    private static readonly TimeSpan s_lock = TimeSpan.FromSeconds(20);

    // Long enough for anything that is under way between two processes of one machine to have arrived.
    private static readonly TimeSpan s_quiet = TimeSpan.FromMilliseconds(300);

    private int _queues;

    public override IBroker Broker => broker;

    public override BrokerFeatures Features =>
        BrokerFeatures.TimedLocks | BrokerFeatures.Order | BrokerFeatures.DelayedSends | BrokerFeatures.DeliveryCounts;

    public override TimeProvider Time => TimeProvider.System;

    public override TimeSpan Skew => TimeSpan.FromSeconds(1);

    public override TimeSpan Delay => TimeSpan.FromSeconds(10);

    public override async ValueTask<string> NewQueueAsync()
    {
        var queue = $"contract-{++_queues}";
        await server.Control.PutQueueAsync(queue, new QueueSettings { LockDuration = s_lock });
        return queue;
    }

    public override string DeadLettersOf(string queue) => queue + "/$DeadLetterQueue";

    public override (string? Reason, string? Description) ReasonOf(Delivery deadLetter) =>
        ((string?)deadLetter.Message.Properties["DeadLetterReason"], (string?)deadLetter.Message.Properties["DeadLetterErrorDescription"]);

    public override async ValueTask PassAsync(TimeSpan time) => await server.Control.AdvanceAsync(time);

    public override async ValueTask LapseAsync() => await server.Control.AdvanceAsync(s_lock + TimeSpan.FromSeconds(1));

    public override async ValueTask QuietAsync() => await Task.Delay(s_quiet);

    public override async ValueTask DisposeAsync()
    {
        await Broker.DisposeAsync();
        await server.DisposeAsync();
    }
}
