using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>How RabbitMQ is used. Where it is, and who logs in there, is the connection string.</summary>
internal sealed class RabbitMqOptions
{
    public TimeSpan Heartbeat { get; set; } = TimeSpan.FromSeconds(10);

    public bool Declare { get; set; }

    public QueueType QueueType { get; set; } = QueueType.Quorum;

    public byte MaxPriority { get; set; }

    public TimeSpan ConsumerTimeout { get; set; } = TimeSpan.FromMinutes(30);

    public string? ManagementUri { get; set; }

    public DelayedRetry DelayedRetry { get; set; }

    public string? CaFile { get; set; }

    public string? ClientCertificateFile { get; set; }

    public string? ClientKeyFile { get; set; }

    /// <summary>The same for the broker itself. Where it is the server that keeps messages back, it does so for as long as we would.</summary>
    public RabbitMqBrokerOptions With(string uri, RetryOptions retry, TimeProvider time) => new()
    {
        Uri = uri,
        Heartbeat = Heartbeat,
        Declare = Declare,
        QueueType = QueueType,
        MaxPriority = MaxPriority,
        ConsumerTimeout = ConsumerTimeout,
        ManagementUri = ManagementUri,
        DelayedRetry = DelayedRetry,
        NativeRetryDelay = retry.Delay,
        NativeRetryMaxDelay = retry.MaxDelay,
        CaFile = CaFile,
        ClientCertificateFile = ClientCertificateFile,
        ClientKeyFile = ClientKeyFile,
        TimeProvider = time,
    };
}
