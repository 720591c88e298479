using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

/// <summary>What the embedded broker should do, told as simply as possible: one list of messages, searched anew at each step.</summary>
internal sealed class BrokerModel(InMemoryBrokerOptions options)
{
    private readonly List<Letter> _letters = [];
    private double _now;
    private int _order;

    private enum Place
    {
        Waiting,
        Delayed,
        Held,
        Dead,
        Completed,
    }

    public int Sent => _letters.Count;

    public InMemoryQueueCounts Counts => new("orders", CountOf(Place.Waiting), CountOf(Place.Held), CountOf(Place.Delayed), CountOf(Place.Dead));

    public int Completed => CountOf(Place.Completed);

    public string Send(byte priority, double delay)
    {
        var letter = new Letter { Id = "m" + _letters.Count, Priority = priority };
        _letters.Add(letter);
        Put(letter, delay);
        return letter.Id;
    }

    public string[] Receive(int room)
    {
        var taken = _letters.Where(letter => letter.Place == Place.Waiting)
            .OrderByDescending(letter => letter.Priority).ThenBy(letter => letter.Line)
            .Take(room).ToArray();
        foreach (var letter in taken)
        {
            (letter.Place, letter.Due, letter.Receipt) = (Place.Held, LockEnd, letter.Receipt + 1);
            letter.Deliveries++;
        }

        return [.. taken.Select(letter => letter.Id)];
    }

    public bool Renew(string id, int receipt)
    {
        if (Held(id, receipt) is not { } letter)
            return false;
        letter.Due = LockEnd;
        return true;
    }

    public bool Settle(string id, int receipt, Settlement settlement)
    {
        if (Held(id, receipt) is not { } letter)
            return false;
        if (settlement.Kind == SettlementKind.Complete)
            letter.Place = Place.Completed;
        else if (settlement.Kind == SettlementKind.DeadLetter)
            letter.Place = Place.Dead;
        else
            Put(letter, settlement.Wait.TotalSeconds);
        return true;
    }

    public void Pass(double seconds)
    {
        _now += seconds;
        foreach (var letter in _letters.Where(IsDue).OrderBy(letter => letter.Due).ThenBy(letter => letter.DelayedAs).ToArray())
            Put(letter, 0);
    }

    public void Cut()
    {
        if (options.ConnectionBound)
            _letters.FindAll(letter => letter.Place == Place.Held).ForEach(letter => Put(letter, 0));
    }

    private double LockEnd => options.ConnectionBound ? double.MaxValue : _now + options.LockDuration.TotalSeconds;

    private bool IsDue(Letter letter) => letter.Place is Place.Held or Place.Delayed && letter.Due <= _now;

    private Letter? Held(string id, int receipt) =>
        _letters.Find(letter => letter.Id == id && letter.Receipt == receipt && letter.Place == Place.Held);

    private int CountOf(Place place) => _letters.Count(letter => letter.Place == place);

    private void Put(Letter letter, double delay)
    {
        if (letter.Deliveries >= options.MaxDeliveries)
        {
            letter.Place = Place.Dead;
        }
        else if (delay > 0)
        {
            (letter.Place, letter.Due, letter.DelayedAs) = (Place.Delayed, _now + delay, _order++);
        }
        else
        {
            letter.Place = Place.Waiting;
            letter.Line ??= _order++;
        }
    }

    /// <summary>One message, in exactly one place.</summary>
    private sealed class Letter
    {
        public required string Id { get; init; }

        public required byte Priority { get; init; }

        public Place Place { get; set; }

        public double Due { get; set; }

        public int? Line { get; set; }

        public int DelayedAs { get; set; }

        public int Deliveries { get; set; }

        public int Receipt { get; set; }
    }
}
