using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>A worker puts a message aside only for what its handler said or did, as often as it may, for having come too often, or because nobody can read it, which then no handler sees: never for a loss, a standstill or a stop.</summary>
internal sealed class PutAsideForAReason(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<(int Life, int Delivery), Ending> _endings = [];
    private readonly HashSet<(int Life, int Delivery)> _calledOff = [];

    protected override void See(in Event happened)
    {
        switch (happened.Kind)
        {
            case EventKind.Begun when Plan.Messages[happened.Message].IsGarbled:
                Broken($"m{happened.Message} was begun, and nobody can read it.");
                break;
            case EventKind.CalledOff:
                _calledOff.Add((happened.Life, happened.Delivery));
                break;
            case EventKind.Ended:
                _endings[(happened.Life, happened.Delivery)] = (Ending)happened.A;
                break;
            case EventKind.SettleAsked when happened.A == (long)SettlementKind.DeadLetter:
                PutAside(happened);
                break;
        }
    }

    private void PutAside(Event happened)
    {
        var consumer = ConsumerOf(happened.Life, happened.Message);
        var most = consumer.MaxDeliveries;
        Ending? ending = _endings.TryGetValue((happened.Life, happened.Delivery), out var known) ? known : null;
        var hasReason = ending switch
        {
            Ending.DeadLetter or Ending.Unreadable => true,
            Ending.Throw => happened.B >= most,
            // What it published was not taken, or it had no more time.
            Ending.Complete when Plan.Messages[happened.Message].Notices > 0 => happened.B >= most,
            Ending.Abandon when consumer.AttemptTimeout is not null && _calledOff.Contains((happened.Life, happened.Delivery)) => happened.B >= most,
            null => happened.B > most || Plan.Messages[happened.Message].IsGarbled,
            _ => false,
        };
        if (!hasReason)
            Broken($"m{happened.Message} was put aside at its delivery {happened.B} of {most}, and its handler {(ending is { } end ? $"ended with {end}" : "had not begun")}.");
    }
}
