namespace Holdfast.Worker.Settings;

/// <summary>The worker's own settings; those of the engine and of its queues stand beside them in the same section.</summary>
internal sealed class WorkerOptions
{
    public string Broker { get; set; } = "InMemory";

    /// <summary>Whether the management port shows the status page.</summary>
    public bool StatusPage { get; set; } = true;

    public LogFormat Logs { get; set; }

    public IdempotencyOptions Idempotency { get; set; } = new();

    public InMemoryOptions InMemory { get; set; } = new();

    public RabbitMqOptions RabbitMq { get; set; } = new();

    public ServiceBusOptions ServiceBus { get; set; } = new();

    /// <summary>Whether this is the broker that was chosen.</summary>
    public bool Uses(string broker) => Broker.Equals(broker, StringComparison.OrdinalIgnoreCase);
}
