using Holdfast.Broker;

namespace Holdfast.Tests.Kit;

/// <summary>A fresh broker for one test of the contract, and how to make time pass for it.</summary>
public abstract class BrokerUnderTest : IAsyncDisposable
{
    public abstract IBroker Broker { get; }

    public abstract BrokerFeatures Features { get; }

    /// <summary>The clock that the broker was given.</summary>
    public abstract TimeProvider Time { get; }

    /// <summary>How far the broker's own clock may be from ours.</summary>
    public virtual TimeSpan Skew => TimeSpan.Zero;

    /// <summary>Whether its time is everybody's: then it goes on while a test is held up, and what was to come later may be there before anybody has looked.</summary>
    public virtual bool HasEverybodysTime => false;

    /// <summary>The shortest delay that is worth testing here.</summary>
    public abstract TimeSpan Delay { get; }

    /// <summary>How long a test waits for what must come, in real time, before it gives up.</summary>
    public virtual TimeSpan Patience => TimeSpan.FromSeconds(30);

    /// <summary>The name of a queue that is empty, and that no other test uses.</summary>
    public abstract ValueTask<string> NewQueueAsync();

    /// <summary>Where the dead letters of a queue can be received from.</summary>
    public abstract string DeadLettersOf(string queue);

    /// <summary>What a dead letter says about why it is one.</summary>
    public abstract (string? Reason, string? Description) ReasonOf(Delivery deadLetter);

    /// <summary>Lets this much of the broker's time pass.</summary>
    public abstract ValueTask PassAsync(TimeSpan time);

    /// <summary>Lets all leases that are held now lapse, and returns once the broker can be reached.</summary>
    public abstract ValueTask LapseAsync();

    /// <summary>Waits until whatever the broker would do by itself, and at once, must have happened.</summary>
    public abstract ValueTask QuietAsync();

    public abstract ValueTask DisposeAsync();
}
