namespace Holdfast.Amqp;

/// <summary>How many messages the peer lets us send on a link. Behind the gate.</summary>
internal sealed class SendCredit
{
    public const uint InitialCount = 0;

    public uint DeliveryCount { get; private set; } = InitialCount;

    public uint Credit { get; private set; }

    /// <summary>Whether the peer wants what we can't use of it back at once, as it said last. Whatever we tell of the link says the same.</summary>
    public bool Drains { get; private set; }

    /// <summary>Whether that is still to be given back.</summary>
    public bool IsOwed { get; private set; }

    /// <param name="peersCount">Null where the peer had not seen our attach frame yet.</param>
    /// <param name="credit">Counted from there; null where nothing changes.</param>
    /// <param name="drains">Whether the credit is to be used or given back at once.</param>
    public void OnFlow(uint? peersCount, uint? credit, bool drains)
    {
        Drains = IsOwed = drains;
        if (credit is { } given)
            Credit = Serial.Left(given, peersCount ?? InitialCount, DeliveryCount);
    }

    public void Sent()
    {
        DeliveryCount = Serial.Plus(DeliveryCount, 1);
        Credit--;
    }

    /// <summary>Gives back what is left.</summary>
    public void Drain() => (DeliveryCount, Credit, IsOwed) = (Serial.Plus(DeliveryCount, Credit), 0, false);
}
