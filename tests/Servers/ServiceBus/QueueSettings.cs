using System.Text.Json.Serialization;

namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>How a queue or a subscription is to be; what is left out stays as it is, or as Service Bus has it.</summary>
public sealed record QueueSettings
{
    [JsonIgnore]
    public TimeSpan? LockDuration { get; init; }

    public int? MaxDeliveryCount { get; init; }

    public bool? RequiresSession { get; init; }

    /// <summary>With more than one, locks of different partitions are renewed and settled apart.</summary>
    public int? Partitions { get; init; }

    public int? MaxMessageBytes { get; init; }

    /// <summary>For a batch as a whole, where that is less than a single message may have. Azure's is 1 MB.</summary>
    public int? MaxBatchBytes { get; init; }

    /// <summary>More than so many messages are refused: the quota.</summary>
    public int? MaxMessages { get; init; }

    /// <summary>After how long without traffic a link that receives is detached; zero for never. Azure's is ten minutes.</summary>
    [JsonIgnore]
    public TimeSpan? LinkIdleTimeout { get; init; }

    public bool? Enabled { get; init; }

    [JsonInclude, JsonPropertyName("lockDuration")]
    internal double? LockMilliseconds => LockDuration?.TotalMilliseconds;

    [JsonInclude, JsonPropertyName("linkIdleTimeout")]
    internal double? LinkIdleMilliseconds => LinkIdleTimeout?.TotalMilliseconds;
}
