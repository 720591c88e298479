namespace Holdfast.Broker.RabbitMq;

/// <summary>The two kinds of RabbitMQ queues that messages are consumed from.</summary>
public enum QueueType
{
    /// <summary>Replicated; counts its deliveries.</summary>
    Quorum,

    /// <summary>On one node; can order by priority.</summary>
    Classic,
}
