using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>
/// A message's handler begins again only after the earlier lease was settled, lost or crashed; in the life that completed it, never;
/// in one that was told to stop, never; and always on its own lane.
/// </summary>
internal sealed class RunsAgainForAReason(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<int, (int Delivery, int Life)> _last = [];
    private readonly HashSet<int> _over = [];
    private readonly HashSet<int> _ended = [];
    private readonly Dictionary<(int Life, int Message), TimeSpan> _completed = [];

    protected override void See(in Event happened)
    {
        switch (happened.Kind)
        {
            case EventKind.SettledAtBroker when happened.B == 1:
            case EventKind.Revoked or EventKind.LetGo:
                _over.Add(happened.Delivery);
                break;
            case EventKind.Crashed or EventKind.Stopped or EventKind.StopAsked:
                _ended.Add(happened.Kind == EventKind.StopAsked ? -1 - happened.Life : happened.Life);
                break;
            // What a handler has published may fail after it, and is a part of it.
            case EventKind.Ended when happened.A == (long)Ending.Complete && Plan.Messages[happened.Message].Notices == 0:
            case EventKind.SettleAsked when happened.A == (long)SettlementKind.Complete:
                _completed.TryAdd((happened.Life, happened.Message), happened.Time);
                break;
            case EventKind.GoesOn when happened.A == 0:
                Broken($"The handler of m{happened.Message} went on somewhere else than on its lane.");
                break;
            case EventKind.Begun when happened.A == 1:
                Begin(happened);
                break;
        }
    }

    private void Begin(Event happened)
    {
        if (Trusts.Until(happened.Delivery) <= happened.Time)
            Broken($"m{happened.Message} was begun with a lease that was trusted until {Trusts.Until(happened.Delivery).TotalSeconds:0.0000}.");

        // Of several threads one may have taken it up at the very instant in which another completed it. And a store that says nothing may be asked
        // about an earlier delivery, which is lost by then, until a later one is settled and out of sight.
        if (_completed.TryGetValue((happened.Life, happened.Message), out var completed)
            && WorkerOf(happened.Life) is { Store: null or { IsSound: true } } worker
            && Plan.Messages[happened.Message].IsNamed
            && (completed < happened.Time || worker.Cores == 1))
            Broken($"m{happened.Message} was handled again by the worker that had completed it.");
        if (_ended.Contains(-1 - happened.Life))
            Broken($"The handler of m{happened.Message} began although its worker was told to stop.");
        if (_last.TryGetValue(happened.Message, out var last)
            && !_over.Contains(last.Delivery)
            && !_over.Contains(happened.Delivery)
            && !_ended.Contains(last.Life)
            && Trusts.Until(last.Delivery) > happened.Time)
            Broken($"m{happened.Message} was begun while worker {last.Life} held it as delivery {last.Delivery}.");
        _last[happened.Message] = (happened.Delivery, happened.Life);
    }
}
