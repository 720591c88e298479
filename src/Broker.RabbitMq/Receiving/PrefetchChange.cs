namespace Holdfast.Broker.RabbitMq;

/// <summary>One step towards the wanted prefetch: open one more consumer, end them all, or leave them be.</summary>
internal readonly record struct PrefetchChange(int More, bool IsEnd)
{
    public static PrefetchChange None => default;

    public static PrefetchChange EndAll => new(0, IsEnd: true);

    public static PrefetchChange Add(int more) => new(more, IsEnd: false);
}
