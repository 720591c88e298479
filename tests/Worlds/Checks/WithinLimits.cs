namespace Holdfast.Tests.Worlds;

/// <summary>Of each queue: a limit is what its worker's settings allow; never more handlers at once than that, and never more leases held than it lets in, or than were received.</summary>
internal sealed class WithinLimits(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<(int Life, int Queue), Count> _counts = [];

    protected override void See(in Event happened)
    {
        switch (happened.Kind)
        {
            case EventKind.Started:
                for (var queue = 0; queue < Plan.Queues.Length; queue++)
                    _counts[(happened.Life, queue)] = CountFor(Plan.Workers[happened.A], queue);
                break;
            case EventKind.Room:
                Compare(happened.B, _counts[(happened.Life, happened.Queue)]);
                break;
            case EventKind.ReceiveAsked:
                _counts[(happened.Life, happened.Queue)].Batch = 0;
                break;
            case EventKind.Received:
                Receive(happened, CountOf(happened));
                break;
            case EventKind.Begun:
                var count = CountOf(happened);
                if (++count.Running > count.Most)
                    Broken($"{count.Running} handlers at once, where {count.Most} may be.");
                break;
            case EventKind.Ended:
                CountOf(happened).Running--;
                break;
        }
    }

    private static Count CountFor(WorkerPlan worker, int queue)
    {
        var (most, isAdaptive) = (worker.Queues[queue].MaxConcurrency, worker.Queues[queue].IsAdaptive);
        return new(isAdaptive ? Math.Min(most, worker.Cores) : most, most);
    }

    private Count CountOf(Event ofMessage) => _counts[(ofMessage.Life, Plan.QueueOf(ofMessage.Message))];

    private void Compare(long limit, Count count)
    {
        if (limit < count.Least || limit > count.Most)
            Broken($"A limit of {limit}, where {count.Least} to {count.Most} are allowed.");
    }

    private void Receive(Event happened, Count count)
    {
        if (happened.B > count.Received)
            Broken($"{happened.B} leases held, of {count.Received} messages received.");
        count.Received++;

        // Those of a batch are told of before the first of them is held.
        if (happened.B + ++count.Batch > count.Most)
            Broken($"m{happened.Message} was taken to {happened.B} others, where {count.Most} may be in hand.");
    }

    private sealed class Count(int least, int most)
    {
        public int Least { get; } = least;

        public int Most { get; } = most;

        public int Running { get; set; }

        public int Received { get; set; }

        /// <summary>How many came since it last asked.</summary>
        public int Batch { get; set; }
    }
}
