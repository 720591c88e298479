namespace Holdfast.Broker.InMemory;

/// <summary>The leases of one queue, the one that lapses first in front.</summary>
internal sealed class HeldMessages
{
    private InMemoryDelivery? _last;

    public InMemoryDelivery? First { get; private set; }

    public int Count { get; private set; }

    public void Add(InMemoryDelivery delivery)
    {
        // All locks last equally long, so a new one belongs at the end; only a hold limit can make it lapse sooner.
        var before = _last;
        while (before is not null && before.Until > delivery.Until)
            before = before.Previous;

        var after = before is null ? First : before.Next;
        (delivery.Previous, delivery.Next) = (before, after);
        if (before is null)
            First = delivery;
        else
            before.Next = delivery;
        if (after is null)
            _last = delivery;
        else
            after.Previous = delivery;
        Count++;
    }

    public void Remove(InMemoryDelivery delivery)
    {
        var (before, after) = (delivery.Previous, delivery.Next);
        if (before is null)
            First = after;
        else
            before.Next = after;
        if (after is null)
            _last = before;
        else
            after.Previous = before;
        (delivery.Previous, delivery.Next) = (null, null);
        Count--;
    }
}
