namespace Holdfast.Tests.Worlds;

/// <summary>With all settled, a worker has nothing in hand, and waits for no answer that will never come; it stops in time, and nothing of it is left then but what the broker never answered.</summary>
internal sealed class StopsClean(WorldPlan plan) : Rule(plan)
{
    // Three times a last word of one second, each of which something may take.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(3.1);

    private readonly Dictionary<int, TimeSpan> _stopBy = [];
    private readonly HashSet<int> _lives = [];
    private readonly HashSet<(int Life, int Delivery)> _unanswered = [];
    private readonly HashSet<(int Life, int Delivery)> _inHand = [];

    protected override void See(in Event happened)
    {
        var key = (happened.Life, happened.Delivery);
        switch (happened.Kind)
        {
            case EventKind.Started:
                _lives.Add(happened.Life);
                break;
            case EventKind.Crashed:
                _lives.Remove(happened.Life);
                _stopBy.Remove(happened.Life);
                break;
            case EventKind.Halted:
                _stopBy.Remove(happened.Life);
                break;
            case EventKind.StopAsked:
                _stopBy[happened.Life] = happened.Time + new TimeSpan(happened.A) + s_grace;
                break;
            case EventKind.Received:
                _inHand.Add(key);
                break;
            case EventKind.SettleAsked:
                _unanswered.Add(key);
                break;
            case EventKind.SettleAnswered or EventKind.LetGo:
                _unanswered.Remove(key);
                _inHand.Remove(key);
                break;
            case EventKind.Quiet when happened is not { A: 0, B: 0 }:
                Broken($"Worker {happened.Life} has nothing to do, and {happened.A} leases and {happened.B} slots in use.");
                break;
            case EventKind.Unanswered when happened.A > 0:
                Broken($"Worker {happened.Life} has nothing to do, and waits for {happened.A} answers.");
                break;
            case EventKind.Stopped:
                Stop(happened);
                break;
            // A store that says nothing is given up some time after that.
            case EventKind.TimersLeft when happened.A > 0 && WorkerOf(happened.Life).Store is null && Unanswered(happened.Life) == 0:
                Broken($"Worker {happened.Life} has stopped, and left {happened.A} timers.");
                break;
        }
    }

    protected override void Conclude()
    {
        foreach (var life in _lives)
            Broken($"Worker {life} has never stopped.");
    }

    private void Stop(Event happened)
    {
        var life = happened.Life;
        _lives.Remove(life);
        if (_stopBy.TryGetValue(life, out var by) && happened.Time > by)
            Broken($"Worker {life} should have stopped by {by.TotalSeconds:0.0000}.");

        var unanswered = Unanswered(life);
        if (happened.A > unanswered || happened.B > unanswered)
            Broken($"Worker {life} has stopped with {happened.A} leases and {happened.B} slots in use, where {unanswered} settlements were not answered.");
        foreach (var (_, delivery) in _inHand.Where(left => left.Life == life && !_unanswered.Contains(left)))
            Broken($"Worker {life} has stopped and forgotten delivery {delivery}.");
    }

    private int Unanswered(int life) => _unanswered.Count(left => left.Life == life);
}
