using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>What a handler has published is sent once it has completed, by the attempt that did, and is at the broker before its own message is settled.</summary>
internal sealed class PublishedFirst(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<(int Life, int Delivery), (long Attempt, bool IsComplete)> _attempts = [];
    private readonly Dictionary<(int Life, int Delivery, long Attempt), int> _published = [];
    private readonly HashSet<int> _complete = [];

    protected override void See(in Event happened)
    {
        if (happened.Message < 0 || Plan.Messages[happened.Message].Notices == 0)
            return;

        var delivery = (happened.Life, happened.Delivery);
        switch (happened.Kind)
        {
            case EventKind.Begun:
                _attempts[delivery] = (happened.A, false);
                break;
            case EventKind.Ended:
                _attempts[delivery] = (_attempts[delivery].Attempt, happened.A == (long)Ending.Complete);
                break;
            case EventKind.PublishAsked when _attempts[delivery] != (happened.A, true):
                Broken($"What attempt {happened.A} at m{happened.Message} had published was sent, and it had not completed.");
                break;
            case EventKind.Published:
                Count(happened);
                break;
            case EventKind.SettleAsked when happened.A == (long)SettlementKind.Complete && !IsPublished(happened):
                Broken($"m{happened.Message} was settled, and what its handler had published was not at the broker.");
                break;
        }
    }

    private void Count(Event published)
    {
        var attempt = (published.Life, published.Delivery, published.A);
        _published[attempt] = _published.GetValueOrDefault(attempt) + 1;
        if (_published[attempt] == Plan.Messages[published.Message].Notices)
            _complete.Add(published.Message);
    }

    // What was completed earlier is settled without being handled again.
    private bool IsPublished(Event settled) => _attempts.TryGetValue((settled.Life, settled.Delivery), out var last)
        ? _published.GetValueOrDefault((settled.Life, settled.Delivery, last.Attempt)) >= Plan.Messages[settled.Message].Notices
        : _complete.Contains(settled.Message);
}
