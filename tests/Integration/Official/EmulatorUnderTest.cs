using Holdfast.Broker.ServiceBus;
using Holdfast.Broker.ServiceBusSdk;
using Holdfast.Tests.Kit;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Microsoft's client on Microsoft's emulator, for one test of the contract. Its time is everybody's.</summary>
internal sealed class EmulatorUnderTest(Emulator emulator) : BrokerUnderTest
{
    private static readonly TimeSpan s_quiet = TimeSpan.FromSeconds(1);

    public override IBroker Broker { get; } = new ServiceBusSdkBroker(new ServiceBusBrokerOptions { ConnectionString = emulator.ConnectionString });

    public override BrokerFeatures Features =>
        BrokerFeatures.TimedLocks | BrokerFeatures.Order | BrokerFeatures.DelayedSends | BrokerFeatures.DeliveryCounts;

    public override TimeProvider Time => TimeProvider.System;

    public override bool HasEverybodysTime => true;

    public override TimeSpan Skew => TimeSpan.FromSeconds(2);

    public override TimeSpan Delay => TimeSpan.FromSeconds(5);

    public override ValueTask<string> NewQueueAsync() => ValueTask.FromResult(emulator.TakeQueue());

    public override string DeadLettersOf(string queue) => queue + "/$DeadLetterQueue";

    public override (string? Reason, string? Description) ReasonOf(Delivery deadLetter) =>
        ((string?)deadLetter.Message.Properties["DeadLetterReason"], (string?)deadLetter.Message.Properties["DeadLetterErrorDescription"]);

    public override async ValueTask PassAsync(TimeSpan time) => await Task.Delay(time);

    public override async ValueTask LapseAsync() => await Task.Delay(Emulator.Lock + TimeSpan.FromSeconds(1));

    public override async ValueTask QuietAsync() => await Task.Delay(s_quiet);

    public override ValueTask DisposeAsync() => Broker.DisposeAsync();
}
