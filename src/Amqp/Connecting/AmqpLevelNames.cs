namespace Holdfast.Amqp;

/// <summary>The levels' names in sentences. Any thread.</summary>
internal static class AmqpLevelNames
{
    public static string Name(this AmqpLevel level) => level switch
    {
        AmqpLevel.Connection => "connection",
        AmqpLevel.Session => "session",
        _ => "link",
    };
}
