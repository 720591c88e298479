namespace Holdfast.Tests.Worlds;

/// <summary>An attempt that takes longer than it may is told so when its time is up, unless its worker stood still.</summary>
internal sealed class AttemptsAreLimited(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<(int Life, int Delivery), (int Message, TimeSpan Until)> _limited = [];

    protected override void See(in Event happened)
    {
        switch (happened.Kind)
        {
            case EventKind.Begun when ConsumerOf(happened.Life, happened.Message).AttemptTimeout is { } longest:
                _limited[(happened.Life, happened.Delivery)] = (happened.Message, happened.Time + longest);
                break;
            case EventKind.CalledOff or EventKind.Ended:
                Look(happened);
                _limited.Remove((happened.Life, happened.Delivery));
                break;
            case EventKind.Halted or EventKind.Crashed:
                Forget(happened.Life);
                break;
            case EventKind.TurnBegun or EventKind.Quiet:
                Look(happened);
                break;
        }
    }

    private void Look(Event happened)
    {
        foreach (var (attempt, (message, until)) in _limited)
        {
            if (attempt.Life != happened.Life || happened.Time <= until)
                continue;
            Broken($"An attempt at m{message} had until {until.TotalSeconds:0.0000}, and was not told.");
            _limited.Remove(attempt);
        }
    }

    private void Forget(int life)
    {
        foreach (var attempt in _limited.Keys.Where(attempt => attempt.Life == life).ToArray())
            _limited.Remove(attempt);
    }
}
