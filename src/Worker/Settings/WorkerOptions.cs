namespace Holdfast.Worker.Settings;

/// <summary>The worker's own settings; those of the engine and of its queue stand beside them in the same section.</summary>
internal sealed class WorkerOptions
{
    public string Broker { get; set; } = "InMemory";

    public string Queue { get; set; } = "orders";

    public string Handler { get; set; } = "Demo";

    /// <summary>Whether the management port shows the status page.</summary>
    public bool StatusPage { get; set; } = true;

    public LogFormat Logs { get; set; }

    public DemoOptions Demo { get; set; } = new();

    public InMemoryOptions InMemory { get; set; } = new();

    public RabbitMqOptions RabbitMq { get; set; } = new();

    public ServiceBusOptions ServiceBus { get; set; } = new();

    /// <summary>Whether this is the broker that was chosen.</summary>
    public bool Uses(string broker) => Broker.Equals(broker, StringComparison.OrdinalIgnoreCase);
}
