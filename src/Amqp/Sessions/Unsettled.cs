namespace Holdfast.Amqp;

/// <summary>What of a session's deliveries is not settled, and what the peer says about them. Behind the gate.</summary>
internal sealed class Unsettled(AmqpSession session)
{
    private uint _nextDelivery;
    private uint? _nextArrival;

    /// <summary>What has come.</summary>
    public Deliveries<AmqpDelivery> Arrived { get; } = new();

    /// <summary>What we have sent.</summary>
    public Deliveries<Outbound> Sent { get; } = new();

    public uint NextDeliveryId()
    {
        var id = _nextDelivery;
        _nextDelivery = Serial.Plus(id, 1);
        return id;
    }

    /// <summary>The first frame of a delivery has come.</summary>
    /// <exception cref="AmqpException">It is not its turn.</exception>
    public void OnDeliveryBegins(uint id)
    {
        if (_nextArrival is { } next && id != next)
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, $"Delivery {id} came where {next} is next.");
        _nextArrival = Serial.Plus(id, 1);
    }

    /// <summary>A frame of a delivery has come for a link that takes no more.</summary>
    public void OnDeliveryPassesBy(uint id)
    {
        if (_nextArrival is not { } next || Serial.Ahead(id, next) >= 0)
            _nextArrival = Serial.Plus(id, 1);
    }

    /// <exception cref="AmqpException">It makes no sense.</exception>
    public void OnDisposition(in Disposition disposition)
    {
        var last = disposition.Last ?? disposition.First;
        if (Serial.Ahead(last, disposition.First) < 0)
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.InvalidField, $"The peer speaks of the deliveries from {disposition.First} to {last}.");
        if (last == disposition.First)
        {
            OnOne(disposition);
            return;
        }

        if (disposition.Role == Role.Receiver)
        {
            foreach (var (id, outbound) in Sent.Within(disposition.First, last))
                OnOutcome(id, outbound, disposition.State, disposition.Settled);
        }
        else
        {
            foreach (var (id, delivery) in Arrived.Within(disposition.First, last))
                OnState(id, delivery, disposition.State, disposition.Settled);
        }
    }

    // By far the most common, and worth no enumerator.
    private void OnOne(in Disposition disposition)
    {
        var id = disposition.First;
        if (disposition.Role == Role.Sender)
        {
            if (Arrived.Find(id) is { } delivery)
                OnState(id, delivery, disposition.State, disposition.Settled);
        }
        else if (Sent.Find(id) is { } outbound)
        {
            OnOutcome(id, outbound, disposition.State, disposition.Settled);
        }
    }

    private void OnOutcome(uint id, Outbound outbound, DeliveryState? state, bool isSettled)
    {
        if (!isSettled && state is not (Accepted or Rejected or Released or Modified))
            return;
        Sent.Remove(id);
        outbound.Set(state ?? outbound.Sender.RemoteSource?.DefaultOutcome ?? Released.Instance);
        if (!isSettled)
            session.Connection.Outgoing.Disposition(session.Channel, Role.Sender, id, settled: true, null);
    }

    private void OnState(uint id, AmqpDelivery delivery, DeliveryState? state, bool isSettled)
    {
        if (isSettled)
            Arrived.Remove(id);
        delivery.OnState(state, isSettled);
    }
}
