namespace Holdfast.Broker.RabbitMq;

/// <summary>Who keeps a message back between two deliveries.</summary>
public enum DelayedRetry
{
    /// <summary>A queue of ours for each length of wait, whose messages expire into the queue that they came from.</summary>
    WaitQueues,

    /// <summary>
    /// The quorum queue itself (RabbitMQ 4.3 and later), on the terms it was declared with. They are those of the queue's retries: what is to wait
    /// for another time, as a handler or a sender asks, goes to a queue of ours all the same.
    /// </summary>
    Native,
}
