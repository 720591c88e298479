namespace Holdfast.Bench;

/// <summary>Who consumes.</summary>
internal enum Contender
{
    Holdfast,
    RawClient,
    MassTransit,
}

/// <summary>How contenders are written.</summary>
internal static class Contenders
{
    public static Contender[] All { get; } = Enum.GetValues<Contender>();

    public static string Title(this Contender contender) => contender == Contender.RawClient ? "RabbitMQ.Client" : $"{contender}";
}
