using System.Text.Json;
using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;

namespace Holdfast.Bench;

/// <summary>What a client process is to do: who consumes which queue, how many messages at once, and what the handler does.</summary>
internal sealed record Assignment(Contender Contender, Chore Chore, string Queue, int Prefetch)
{
    public QueueType QueueType { get; init; } = QueueType.Classic;

    /// <summary>The connection string of the Service Bus that has the queue; null where it is RabbitMQ's.</summary>
    public string? ServiceBus { get; init; }

    /// <summary>How many messages come before those that are measured.</summary>
    public int WarmUp { get; init; }

    /// <summary>How many messages are measured.</summary>
    public required int Messages { get; init; }

    /// <summary>How long it may take.</summary>
    public required TimeSpan Limit { get; init; }

    public TimeSpan Heartbeat { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>Whether the client lets the broker have the CPU first: it is one that in production is on another machine.</summary>
    public bool GivesWay { get; init; }

    /// <summary>Whether Holdfast takes as many at once as the others prefetch, or fewer where the machine does not carry so many.</summary>
    public AdmissionMode Admission { get; init; } = AdmissionMode.Fixed;

    public static Assignment Parse(string text) => JsonSerializer.Deserialize<Assignment>(text)!;

    public override string ToString() => JsonSerializer.Serialize(this);
}

/// <summary>What the handler does, and so what is measured.</summary>
internal enum Chore
{
    /// <summary>Nothing: the messages that wait are counted out.</summary>
    Drain,

    /// <summary>Nothing: each message is timed.</summary>
    Time,

    /// <summary>Burns CPU, with waits between.</summary>
    Burn,

    /// <summary>Sleeps without giving its thread back, with waits between.</summary>
    Sleep,

    /// <summary>Hands its CPU work to the .NET pool, many pieces at once.</summary>
    Flood,

    /// <summary>Hands all its work to the .NET pool: most of the handlers block a thread there, and the others burn CPU.</summary>
    Escape,

    /// <summary>Waits, and lets the lease be kept.</summary>
    Hold,
}
