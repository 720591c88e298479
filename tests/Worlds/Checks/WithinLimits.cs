namespace Holdfast.Tests.Worlds;

/// <summary>Never more handlers at once than the limit, and never more leases held than the limit lets in, or than were received.</summary>
internal sealed class WithinLimits(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<int, Count> _lives = [];

    protected override void See(Event happened)
    {
        if (happened.Life < 0)
            return;

        switch (happened.Kind)
        {
            case EventKind.Started:
                _lives[happened.Life] = new(Plan.Workers[happened.A].MaxConcurrency);
                break;
            case EventKind.ReceiveAsked:
                _lives[happened.Life].Batch = 0;
                break;
            case EventKind.Received:
                Receive(happened, _lives[happened.Life]);
                break;
            case EventKind.Begun:
                var life = _lives[happened.Life];
                if (++life.Running > life.Most)
                    Broken($"{life.Running} handlers at once, where {life.Most} may be.");
                break;
            case EventKind.Ended:
                _lives[happened.Life].Running--;
                break;
        }
    }

    private void Receive(Event happened, Count life)
    {
        if (happened.B > life.Received)
            Broken($"{happened.B} leases held, of {life.Received} messages received.");
        life.Received++;

        // Those of a batch are told of before the first of them is held.
        if (happened.B + ++life.Batch > life.Most)
            Broken($"m{happened.Message} was taken to {happened.B} others, where {life.Most} may be in hand.");
    }

    private sealed class Count(int most)
    {
        public int Most { get; } = most;

        public int Running { get; set; }

        public int Received { get; set; }

        /// <summary>How many came since it last asked.</summary>
        public int Batch { get; set; }
    }
}
