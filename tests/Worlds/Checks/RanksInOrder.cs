using Holdfast.Scheduling;

namespace Holdfast.Tests.Worlds;

/// <summary>
/// Within the Process lane: the more urgent message first, then what has started, then what started or came first; unless it has waited for so long that it may be aged.
/// Where messages take turns, whoever has waited since before the other's last turn, or since before that came.
/// </summary>
internal sealed class RanksInOrder(WorldPlan plan) : Rule(plan)
{
    // By life and delivery: since when it waits, and its place among the messages of its kind.
    private readonly Dictionary<(int Life, int Delivery), Waiting> _waiting = [];
    private readonly Dictionary<(int Life, int Delivery), Waiting> _started = [];
    private readonly List<((int Life, int Delivery) Passed, Waiting Waits, string What)> _suspicions = [];
    private readonly HashSet<int> _closing = [];
    private TimeSpan _now;
    private int _order;
    private int _starts;

    protected override void See(in Event happened)
    {
        var key = (happened.Life, happened.Delivery);
        if (happened.Time > _now)
            Decide();
        _now = happened.Time;
        switch (happened.Kind)
        {
            // What waits for its key's turn has no place in the lane yet.
            case EventKind.Received when Plan.KeyOf(happened.Message) is null:
                _waiting[key] = new(happened.Message, Plan.Messages[happened.Message].Priority, false, _order++, happened.Time, happened.Time);
                break;
            case EventKind.Ready:
                _waiting[key] = _started[key] with { Since = happened.Time };
                break;
            case EventKind.Begun when happened.A == 1:
                Take(key, happened.Time);
                _started[key] = new(happened.Message, Plan.Messages[happened.Message].Priority, true, _starts++, happened.Time, happened.Time);
                break;
            case EventKind.GoesOn:
                Take(key, happened.Time);
                _started[key] = _started[key] with { Served = happened.Time };
                break;
            case EventKind.Ended or EventKind.SettleAsked or EventKind.LetGo:
                _waiting.Remove(key);
                break;
            case EventKind.Closing:
                _closing.Add(happened.Life);
                break;
        }
    }

    // Of several threads each may take one at the same instant: what is wrong is only that which still waits afterwards.
    private void Decide()
    {
        foreach (var (passed, waits, what) in _suspicions)
        {
            if (_waiting.TryGetValue(passed, out var still) && still == waits)
                Broken(what);
        }

        _suspicions.Clear();
    }

    private void Take((int Life, int Delivery) key, TimeSpan now)
    {
        // What a store is asked about before its handler begins has its place from there on, and nobody sees it.
        var worker = WorkerOf(key.Life);
        if (worker.Store is not null || _closing.Contains(key.Life))
            return;
        if (!_waiting.Remove(key, out var taken) || now - taken.Since >= worker.Ageing)
            return;

        foreach (var (other, waits) in _waiting)
        {
            if (other.Life != key.Life || !waits.IsBefore(taken, worker.TurnOrder))
                continue;
            var what = $"m{taken.Message} had a turn at {now.TotalSeconds:0.0000}, and m{waits.Message} waited since {waits.Since.TotalSeconds:0.0000}.";
            if (worker.Cores == 1)
                Broken(what);
            else
                _suspicions.Add((other, waits, what));
        }
    }

    private readonly record struct Waiting(int Message, byte Priority, bool HasStarted, int Order, TimeSpan Since, TimeSpan Served)
    {
        public bool IsBefore(Waiting other, TurnOrder order) =>
            Priority != other.Priority ? Priority > other.Priority
            : order == TurnOrder.RoundRobin ? Since < other.Served
            : HasStarted != other.HasStarted ? HasStarted
            : Order < other.Order;
    }
}
