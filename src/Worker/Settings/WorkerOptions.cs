namespace Holdfast.Worker.Settings;

/// <summary>The worker's own settings; those of the engine and of its queues stand beside them in the same section.</summary>
internal sealed class WorkerOptions
{
    private const string OfTheMaker = "Sdk";

    public string Broker { get; set; } = "InMemory";

    /// <summary>Whether the management port shows the status page.</summary>
    public bool StatusPage { get; set; } = true;

    public LogFormat Logs { get; set; }

    public IdempotencyOptions Idempotency { get; set; } = new();

    public InMemoryOptions InMemory { get; set; } = new();

    public RabbitMqOptions RabbitMq { get; set; } = new();

    public ServiceBusOptions ServiceBus { get; set; } = new();

    /// <summary>What kind of broker that is. A name that ends in Sdk is its maker's own client: settings and rules are the same for either.</summary>
    public string Kind => IsByTheMaker ? Broker[..^OfTheMaker.Length] : Broker;

    /// <summary>Whether it is reached by its maker's own client.</summary>
    public bool IsByTheMaker => Broker.EndsWith(OfTheMaker, StringComparison.OrdinalIgnoreCase);

    /// <summary>Whether this is the kind of broker that was chosen.</summary>
    public bool Uses(string kind) => Kind.Equals(kind, StringComparison.OrdinalIgnoreCase);
}
