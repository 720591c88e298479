namespace Holdfast.Amqp;

/// <summary>An instant as the wire has it: milliseconds since 1970, which may lie beyond any calendar.</summary>
public readonly record struct AmqpTimestamp(long Milliseconds)
{
    private static readonly long s_first = DateTimeOffset.MinValue.ToUnixTimeMilliseconds();
    private static readonly long s_last = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();

    public static AmqpTimestamp From(DateTimeOffset time) => new(time.ToUnixTimeMilliseconds());

    /// <summary>The nearest instant of the calendar.</summary>
    public DateTimeOffset ToDateTimeOffset() => DateTimeOffset.FromUnixTimeMilliseconds(Math.Clamp(Milliseconds, s_first, s_last));
}
