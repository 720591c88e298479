namespace Holdfast.Broker.ServiceBus;

/// <summary>The sessions that are ours just now. Any thread.</summary>
internal sealed class HeldSessions
{
    private readonly Lock _gate = new();
    private readonly List<SessionIntake> _intakes = [];

    public int Count => All().Length;

    /// <summary>How many of them have nothing in hand.</summary>
    public int Idle => All().Count(intake => intake.IsIdle);

    /// <summary>Has each that has nothing in hand bring its next message.</summary>
    public void Ask() => Array.ForEach(All(), intake => intake.Ask());

    public void Add(SessionIntake intake)
    {
        lock (_gate)
            _intakes.Add(intake);
    }

    public void Remove(SessionIntake intake)
    {
        lock (_gate)
            _intakes.Remove(intake);
    }

    public SessionIntake? Find(HeldSession session) => Array.Find(All(), intake => intake.Session == session);

    /// <summary>The one whose message in hand it is.</summary>
    public SessionIntake? Find(ServiceBusDelivery delivery) => Array.Find(All(), intake => intake.IsHeldUpBy(delivery));

    public SessionIntake[] All()
    {
        lock (_gate)
            return [.. _intakes];
    }

    public SessionIntake[] TakeAll()
    {
        lock (_gate)
        {
            SessionIntake[] all = [.. _intakes];
            _intakes.Clear();
            return all;
        }
    }
}
