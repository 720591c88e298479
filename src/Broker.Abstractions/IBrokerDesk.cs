namespace Holdfast.Broker;

/// <summary>What a person asks of a broker beside the worker's own work: to look into a queue, to clear it, to say what will go wrong.</summary>
public interface IBrokerDesk : IAsyncDisposable
{
    /// <summary>Whether it sees messages that somebody else holds just now.</summary>
    bool SeesHeld { get; }

    /// <summary>The queue in which another one's dead letters lie.</summary>
    string DeadLettersOf(string queue);

    /// <summary>Throws where the name of a sweep's target alone tells that nothing can be sent there: nobody need be asked, nor anything be looked at.</summary>
    /// <exception cref="BrokerException">It does tell that; the message says where to send instead.</exception>
    void ThrowIfNoTarget(string target)
    {
    }

    /// <summary>Looks at messages from the head of a queue on, each once, and leaves them there.</summary>
    /// <param name="queue">Where to look.</param>
    /// <param name="most">How many to look at, at most; null looks at all that are there now.</param>
    /// <param name="cancel">Ends it.</param>
    /// <exception cref="BrokerException">The broker failed.</exception>
    IAsyncEnumerable<QueuedMessage> LookAsync(string queue, int? most, CancellationToken cancel);

    /// <summary>Opens a queue for a sweep.</summary>
    /// <param name="queue">The queue to go through.</param>
    /// <param name="target">Where what is to leave it goes; null where it leaves for good.</param>
    /// <param name="keyOf">What of one key goes there keeps its order; a message without a key may pass others, and others it.</param>
    /// <param name="rate">How many will be taken in a second at most, so that no more are held in advance than that needs; null where nothing slows it down.</param>
    /// <param name="most">How many will be looked at, at most, beside one more for each that can't be sent, so that no others are handed out in vain; null looks at all.</param>
    /// <param name="cancel">Ends it.</param>
    /// <exception cref="BrokerException">The broker failed, or one of the queues can't be used so.</exception>
    ValueTask<ISweep> SweepAsync(string queue, string? target, Func<Message, string?> keyOf, double? rate, int? most, CancellationToken cancel);

    /// <summary>Says what of a queue, and of what we may do with it, fits what a worker does, and what does not. A failure is a finding too.</summary>
    /// <param name="queue">The queue to be consumed.</param>
    /// <param name="maxDeliveries">After how many deliveries the worker itself puts a message aside.</param>
    /// <param name="cancel">Ends it.</param>
    IAsyncEnumerable<Finding> CheckAsync(string queue, int maxDeliveries, CancellationToken cancel);
}
