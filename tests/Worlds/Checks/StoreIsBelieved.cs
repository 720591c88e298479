using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>
/// Where a worker's place has a sound store: it is told of all that a handler completes before that is settled, and what it has kept is not handled again
/// in that place, whatever crashed there.
/// </summary>
internal sealed class StoreIsBelieved(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<(int Life, int Delivery), TimeSpan> _received = [];
    private readonly Dictionary<(WorkerPlan Place, int Message), TimeSpan> _kept = [];
    private readonly HashSet<(int Life, int Message)> _completed = [];
    private readonly HashSet<(int Life, int Message)> _told = [];

    protected override void See(in Event happened)
    {
        if (happened.Life < 0 || WorkerOf(happened.Life) is not { Store.IsSound: true } place)
            return;

        var message = (happened.Life, happened.Message);
        switch (happened.Kind)
        {
            case EventKind.Received:
                _received[(happened.Life, happened.Delivery)] = happened.Time;
                break;
            case EventKind.Ended when happened.A == (long)Ending.Complete:
                _completed.Add(message);
                break;
            case EventKind.StoreTold:
                _told.Add(message);
                break;
            case EventKind.StoreKept:
                _kept.TryAdd((place, happened.Message), happened.Time);
                break;
            case EventKind.SettleAsked when happened.A == (long)SettlementKind.Complete && Plan.Messages[happened.Message].IsNamed && _completed.Contains(message) && !_told.Contains(message):
                Broken($"m{happened.Message} was settled before its store was told that it was completed.");
                break;
            case EventKind.Begun when happened.A == 1 && _kept.TryGetValue((place, happened.Message), out var kept) && kept < _received[(happened.Life, happened.Delivery)]:
                Broken($"m{happened.Message} was handled again, although its store had kept it at {kept.TotalSeconds:0.0000}.");
                break;
        }
    }
}
