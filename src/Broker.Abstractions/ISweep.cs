namespace Holdfast.Broker;

/// <summary>
/// One pass over what lies in a queue: each message comes once, and stays where it was unless it is taken. One caller at a time.
/// Disposing it leaves everything that was not committed as it was before.
/// </summary>
public interface ISweep : IAsyncDisposable
{
    /// <summary>How many messages there were when it began; null where the broker does not say.</summary>
    long? Count { get; }

    /// <summary>How many more there were that somebody has deferred: nobody is handed them who does not ask for them by their numbers.</summary>
    long Deferred => 0;

    /// <summary>How many more there were whose time had not come: nobody is handed them before.</summary>
    long Scheduled => 0;

    /// <summary>How many have left the queue for certain.</summary>
    long Committed { get; }

    /// <summary>What was to be taken and can't be sent as it is, by its id, and why. It stays where it was.</summary>
    IReadOnlyList<(string Id, string Why)> Unsent => [];

    /// <summary>The next message; null after the last one of those that were there when it began.</summary>
    /// <exception cref="BrokerException">The broker failed.</exception>
    ValueTask<QueuedMessage?> NextAsync(CancellationToken cancel);

    /// <summary>Takes a message that came last or earlier: with the next commit it leaves the queue. Commits by itself when enough has gathered.</summary>
    /// <exception cref="BrokerException">The broker failed.</exception>
    ValueTask TakeAsync(QueuedMessage message, CancellationToken cancel);

    /// <summary>What was taken leaves, and arrives where it is to go: all of it or nothing, or each by itself where the broker has no transactions for it.</summary>
    /// <exception cref="BrokerException">The broker failed; its message says what became of them.</exception>
    ValueTask CommitAsync(CancellationToken cancel);
}
