namespace Holdfast.Tests.Worlds;

/// <summary>No lease is given up without being counted as a miss.</summary>
internal sealed class MissesAreCounted(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<int, (int GivenUp, long Counted)> _stopped = [];
    private readonly Dictionary<int, int> _givenUp = [];

    protected override void See(in Event happened)
    {
        switch (happened.Kind)
        {
            case EventKind.LetGo:
                _givenUp[happened.Life] = _givenUp.GetValueOrDefault(happened.Life) + 1;
                break;
            case EventKind.Missed:
                var counted = _stopped.GetValueOrDefault(happened.Life).Counted + happened.B;
                _stopped[happened.Life] = (_givenUp.GetValueOrDefault(happened.Life), counted);
                break;
        }
    }

    protected override void Conclude()
    {
        foreach (var (life, (givenUp, counted)) in _stopped)
        {
            if (counted < givenUp)
                Broken($"Worker {life} has given up {givenUp} leases, and counted {counted} misses.");
        }
    }
}
