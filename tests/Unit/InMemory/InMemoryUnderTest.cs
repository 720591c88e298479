using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Tests.Kit;

namespace Holdfast.Tests.Unit.InMemory;

/// <summary>The embedded broker on a clock that is moved by hand.</summary>
internal sealed class InMemoryUnderTest(bool connectionBound) : BrokerUnderTest
{
    private readonly Desk _desk = new(options => options.ConnectionBound = connectionBound);

    public override IBroker Broker => _desk.Broker;

    public override BrokerFeatures Features =>
        connectionBound ? BrokerFeatures.All & ~BrokerFeatures.TimedLocks : BrokerFeatures.All;

    public override TimeProvider Time => _desk.Time;

    public override TimeSpan Delay => TimeSpan.FromMinutes(10);

    public override ValueTask<string> NewQueueAsync() => ValueTask.FromResult("orders");

    public override string DeadLettersOf(string queue) => DeadLetters.QueueOf(queue);

    public override (string? Reason, string? Description) ReasonOf(Delivery deadLetter) =>
        ((string?)deadLetter.Message.Properties[DeadLetterProperties.Reason], (string?)deadLetter.Message.Properties[DeadLetterProperties.Description]);

    public override ValueTask PassAsync(TimeSpan time)
    {
        _desk.Time.Advance(time);
        return ValueTask.CompletedTask;
    }

    public override ValueTask LapseAsync()
    {
        if (!connectionBound)
            return PassAsync(_desk.Options.LockDuration);

        _desk.Broker.Faults.Cut();
        _desk.Broker.Faults.Restore();
        return ValueTask.CompletedTask;
    }

    public override ValueTask QuietAsync() => ValueTask.CompletedTask;

    public override ValueTask DisposeAsync() => _desk.Broker.DisposeAsync();
}
