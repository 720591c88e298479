namespace Holdfast.Tests.Worlds;

/// <summary>A queue's limit does not fall for load that is not its own: not while what it has in hand hardly wants a thread.</summary>
internal sealed class LimitsAreTheirOwn(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<(int Life, int Queue), (long Limit, bool WasSlight)> _told = [];

    protected override void See(in Event happened)
    {
        if (happened.Life < 0 || Plan.Queues.Length == 1)
            return;

        if (happened.Kind == EventKind.Room)
            Compare(happened);

        for (var queue = 0; queue < Plan.Queues.Length; queue++)
        {
            if (_told.TryGetValue((happened.Life, queue), out var told) && told.WasSlight && !Needs.AreSlight(happened.Life, queue))
                _told[(happened.Life, queue)] = told with { WasSlight = false };
        }
    }

    // With keys it also falls while most of what is in hand waits for others of their key.
    private void Compare(Event happened)
    {
        var queue = (happened.Life, (int)happened.Queue);
        if (_told.TryGetValue(queue, out var told) && told.WasSlight && happened.B < told.Limit && Plan.Queues[happened.Queue].Keys == 0)
            Broken($"The limit of queue {happened.Queue} fell from {told.Limit} to {happened.B}, while what it has in hand hardly wanted a thread.");
        _told[queue] = (happened.B, Needs.AreSlight(happened.Life, happened.Queue));
    }
}
