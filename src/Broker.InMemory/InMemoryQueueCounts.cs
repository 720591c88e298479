namespace Holdfast.Broker.InMemory;

/// <summary>How many messages a queue has at one moment, and where they are.</summary>
/// <param name="Queue">The queue's name.</param>
/// <param name="Waiting">Ready to be received.</param>
/// <param name="Held">With a receiver that has not settled them yet.</param>
/// <param name="Delayed">Kept back until their time comes.</param>
/// <param name="Dead">In the queue's dead letter queue, received or not.</param>
public readonly record struct InMemoryQueueCounts(string Queue, int Waiting, int Held, int Delayed, int Dead);
