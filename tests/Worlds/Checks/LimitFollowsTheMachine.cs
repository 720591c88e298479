namespace Holdfast.Tests.Worlds;

/// <summary>
/// Where messages only burn CPU, each for long beside what it takes to get the next, no more are taken than keep the threads at work, whoever else has the cores:
/// an adaptive limit stays within some for each thread, and some beside.
/// </summary>
internal sealed class LimitFollowsTheMachine(WorldPlan plan) : Rule(plan)
{
    private const int MostForEachThread = 12;
    private static readonly TimeSpan s_long = TimeSpan.FromMilliseconds(10);

    private readonly bool _isCrowd = plan.Queues is [{ Broker.LongSettlement: null }]
        && Array.TrueForAll(plan.Troubles, trouble => trouble.Kind == TroubleKind.Neighbours)
        && Array.TrueForAll(plan.Workers, worker => worker.Distance <= s_long && worker.Store is null && worker.Queues[0].IsAdaptive)
        && Array.TrueForAll(plan.Messages, message => message is { Ending: Ending.Complete, Notices: 0, Steps: [{ Kind: StepKind.Burn } burn] } && burn.Time >= s_long);

    private readonly Dictionary<int, int> _most = [];

    protected override void See(in Event happened)
    {
        if (!_isCrowd)
            return;

        if (happened.Kind == EventKind.Started)
            _most[happened.Life] = MostForEachThread * (Plan.Workers[happened.A].Cores + 1);
        else if (happened.Kind == EventKind.Room && happened.B > _most[happened.Life])
            Broken($"{happened.B} messages may be in hand, where {_most[happened.Life]} are more than the threads can do.");
    }
}
