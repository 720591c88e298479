namespace Holdfast.Bench;

/// <summary>Who consumes.</summary>
internal enum Contender
{
    Holdfast,
    RawClient,
    MassTransit,
    ServiceBusSdk,
}

/// <summary>How contenders are written.</summary>
internal static class Contenders
{
    public static Contender[] OnRabbitMq { get; } = [Contender.Holdfast, Contender.RawClient, Contender.MassTransit];

    public static Contender[] OnServiceBus { get; } = [Contender.Holdfast, Contender.ServiceBusSdk];

    public static string Title(this Contender contender) => contender switch
    {
        Contender.RawClient => "RabbitMQ.Client",
        Contender.ServiceBusSdk => "@azure/service-bus",
        _ => $"{contender}",
    };
}
