namespace Holdfast.Tests.Worlds;

/// <summary>A broker that is too busy is asked for nothing more until the time is over for which it wants its peace.</summary>
internal sealed class PeaceIsKept(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<(int Life, int Queue), TimeSpan> _until = [];

    protected override void See(in Event happened)
    {
        var queue = (happened.Life, happened.Queue);
        if (happened.Kind == EventKind.SentAway)
            _until[queue] = happened.Time + new TimeSpan(happened.A);
        else if (happened.Kind == EventKind.ReceiveAsked && _until.TryGetValue(queue, out var until) && happened.Time < until)
            Broken($"Messages of queue {happened.Queue} were asked for, and the broker was to be left in peace until {until.TotalSeconds:0.0000}.");
    }
}
