namespace Holdfast.Broker.RabbitMq;

/// <summary>Where the RabbitMQ is, and how its queues are used.</summary>
public sealed class RabbitMqBrokerOptions
{
    /// <summary>
    /// <c>amqp://user:password@host:5672/vhost</c>, or <c>amqps://...</c>. Several hosts, separated by commas, are tried in turn:
    /// <c>amqp://user:password@one,two:5673/vhost</c>.
    /// </summary>
    public required string Uri { get; init; }

    /// <summary>
    /// How often both ends say that they are alive; the server may want it more often. Twice as long is what a lease lasts from one proof of life to the next.
    /// </summary>
    public TimeSpan Heartbeat { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Whether to declare the queue, and its dead-letter queue, where they are missing. Otherwise they must be there.</summary>
    public bool Declare { get; init; }

    /// <summary>What kind of queue is declared, and what kind its dead-letter queue is.</summary>
    public QueueType QueueType { get; init; } = QueueType.Quorum;

    /// <summary>The highest priority of a queue that is declared; 0 declares one without priorities. Quorum queues take it from RabbitMQ 4.3 on.</summary>
    public byte MaxPriority { get; init; }

    /// <summary>How long the server lets a delivery stay unacknowledged (its <c>consumer_timeout</c>), where the management API does not tell.</summary>
    public TimeSpan ConsumerTimeout { get; init; } = TimeSpan.FromMinutes(30);

    /// <summary>
    /// The management API, such as <c>http://user:password@host:15672</c>: asked for the consumer timeout that the queue's arguments or policy set.
    /// </summary>
    public string? ManagementUri { get; init; }

    /// <summary>Who keeps a message back between two deliveries.</summary>
    public DelayedRetry DelayedRetry { get; init; }

    /// <summary>With <see cref="DelayedRetry.Native"/>: how long the server keeps a message back after its first failure; that many times longer after each further one.</summary>
    public TimeSpan NativeRetryDelay { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>With <see cref="DelayedRetry.Native"/>: the longest that the server keeps a message back.</summary>
    public TimeSpan NativeRetryMaxDelay { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>For amqps: certificates (PEM) of the authorities to trust instead of the machine's.</summary>
    public string? CaFile { get; init; }

    /// <summary>For amqps: the certificate to show (PEM), with its key in the same file or in <see cref="ClientKeyFile"/>.</summary>
    public string? ClientCertificateFile { get; init; }

    /// <summary>The key of <see cref="ClientCertificateFile"/> (PEM).</summary>
    public string? ClientKeyFile { get; init; }

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
