namespace Holdfast.Tests.Worlds;

/// <summary>Something that must always hold: it is shown all that happened, in order, and notes what should not have. Decides only.</summary>
internal abstract class Rule(WorldPlan plan)
{
    private readonly List<Violation> _violations = [];
    private Dictionary<int, WorkerPlan> _workers = [];
    private TimeSpan _now;

    protected WorldPlan Plan => plan;

    /// <summary>What all rules reckon with, as of what is shown: until when leases may be trusted.</summary>
    protected Trusts Trusts { get; private set; } = null!;

    /// <summary>The same of what each queue wants of the threads.</summary>
    protected Needs Needs { get; private set; } = null!;

    /// <summary>What was broken of all that must hold, in the order of time.</summary>
    public static IReadOnlyList<Violation> Check(WorldPlan plan, ReadOnlySpan<Event> events)
    {
        Rule[] rules =
        [
            new EachMessageEndsOnce(plan),
            new SettledWhileTrusted(plan),
            new RunsAgainForAReason(plan),
            new StoreIsBelieved(plan),
            new LanesInOrder(plan),
            new RanksInOrder(plan),
            new FinishedFirst(plan),
            new KeysInOrder(plan),
            new WithinLimits(plan),
            new BytesAreBounded(plan),
            new RenewedInTime(plan),
            new LossIsTold(plan),
            new MissesAreCounted(plan),
            new AttemptsAreLimited(plan),
            new PublishedFirst(plan),
            new RateIsKept(plan),
            new PeaceIsKept(plan),
            new EachQueueHasItsTurn(plan),
            new LimitsAreTheirOwn(plan),
            new LimitFollowsTheMachine(plan),
            new PutAsideForAReason(plan),
            new StopsClean(plan),
        ];
        Dictionary<int, WorkerPlan> workers = [];
        foreach (ref readonly var happened in events)
        {
            if (happened.Kind == EventKind.Started)
                workers.Add(happened.Life, plan.Workers[happened.A]);
        }

        var (trusts, needs) = (new Trusts(plan), new Needs(plan, workers));
        foreach (var rule in rules)
            (rule._workers, rule.Trusts, rule.Needs) = (workers, trusts, needs);
        foreach (ref readonly var happened in events)
        {
            trusts.See(happened);
            needs.See(happened);
            foreach (var rule in rules)
            {
                rule._now = happened.Time;
                rule.See(happened);
            }
        }

        foreach (var rule in rules)
            rule.Conclude();
        return [.. rules.SelectMany(rule => rule._violations).OrderBy(violation => violation.At)];
    }

    protected abstract void See(in Event happened);

    /// <summary>Called when the world is over.</summary>
    protected virtual void Conclude()
    {
    }

    /// <summary>By which plan that life's worker goes.</summary>
    protected WorkerPlan WorkerOf(int life) => _workers[life];

    /// <summary>On which terms that life's worker consumes a message's queue.</summary>
    protected ConsumerPlan ConsumerOf(int life, int message) => WorkerOf(life).Queues[plan.QueueOf(message)];

    protected void Broken(string what) => _violations.Add(new(GetType().Name, _now, what));
}
