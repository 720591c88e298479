namespace Holdfast.Bench;

/// <summary>All cases, in the order in which they are run.</summary>
internal static class Catalog
{
    public static Case[] All { get; } =
    [
        DispatchCase.Case,
        WakeCase.Case,
        LatenessCase.Case,
        KeeperCase.Case,
        ForegroundCase.Case,
        ChainCase.Case,
        EngineCase.Case,
        PoisonCase.Case,
        HttpCase.Case,
        SimulationCase.Case,
        TelemetryCase.Case,
        ScrapeCase.Case,
        PageCase.Case,
        StartCase.Case,
        AmqpCodecCase.Case,
        AmqpFuzzCase.Case,
        RabbitDrainCase.Case,
        RabbitLatencyCase.Case,
        RabbitStarvationCase.Case,
        ReplayCase.Case,
        ServiceBusDrainCase.Case,
        ServiceBusLeaseCase.Case,
        ServiceBusStarvationCase.Case,
    ];

    public static Case? Find(string name) => Array.Find(All, one => one.Name == name);

    /// <summary>The case of that name, or those whose names begin with it and a dash.</summary>
    public static Case[] Named(string name) => Array.FindAll(All, one => one.Name == name || one.Name.StartsWith($"{name}-", StringComparison.Ordinal));
}
