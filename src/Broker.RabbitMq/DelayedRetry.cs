namespace Holdfast.Broker.RabbitMq;

/// <summary>Who keeps a message back between two deliveries.</summary>
public enum DelayedRetry
{
    /// <summary>A queue of ours for each length of wait, whose messages expire into the queue that they came from.</summary>
    WaitQueues,

    /// <summary>The quorum queue itself (RabbitMQ 4.3 and later), on the terms it was declared with.</summary>
    Native,
}
