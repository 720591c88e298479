namespace Holdfast.Amqp;

/// <summary>How many messages we let the peer send on a link. Behind the gate.</summary>
internal sealed class ReceiveCredit
{
    // Up to here the peer may send by what it was told last, and by the most that it was ever told: it may not have heard of the last word yet.
    private uint _limit;
    private uint _ceiling;

    public uint DeliveryCount { get; private set; }

    /// <summary>What is left of the credit given last.</summary>
    public uint Credit => Serial.Ahead(_limit, DeliveryCount) is > 0 and var left ? (uint)left : 0;

    public bool Drains { get; private set; }

    /// <summary>Whether something may still come.</summary>
    public bool IsOpen => Serial.Ahead(_ceiling, DeliveryCount) > 0;

    public void Begin(uint peersCount) => DeliveryCount = _limit = _ceiling = peersCount;

    public void Give(uint credit) => Allow(upTo: Serial.Plus(DeliveryCount, credit));

    /// <summary>One more: of what has come, one counts for nothing.</summary>
    public void Extend() => Allow(upTo: Serial.Plus(_limit, 1));

    /// <summary>False where the peer sent more than it was ever allowed to.</summary>
    public bool TryReceive()
    {
        if (!IsOpen)
            return false;
        DeliveryCount = Serial.Plus(DeliveryCount, 1);
        return true;
    }

    public void Drain() => Drains = true;

    /// <summary>Whether what the peer says of itself, or its last message, tells that nothing more can come.</summary>
    /// <param name="peersCount">How far the peer has counted: what it gives back of its credit, it counts as sent.</param>
    /// <param name="isCertain">Whether the peer knew of the drain, or had no credit left, when it had counted so far.</param>
    public bool TryEndDrain(uint peersCount, bool isCertain)
    {
        if (!Drains || Serial.Ahead(isCertain ? _limit : _ceiling, peersCount) > 0)
            return false;
        Drains = false;
        Begin(peersCount);
        return true;
    }

    private void Allow(uint upTo)
    {
        _limit = upTo;
        if (Serial.Ahead(_limit, _ceiling) > 0)
            _ceiling = _limit;
    }
}
