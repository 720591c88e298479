using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>
/// Until when each delivery may be trusted, reckoned from what was asked for and granted: the longest that any margin allows, and the shortest.
/// </summary>
internal sealed class Trusts(WorldPlan plan)
{
    private static readonly TimeSpan s_leastMargin = TimeSpan.FromMilliseconds(250);

    // A lease keeps the length of its lock in whole milliseconds.
    private static readonly TimeSpan s_rounding = TimeSpan.FromMilliseconds(1);

    private readonly Dictionary<int, (TimeSpan Until, TimeSpan Limit)> _trusts = [];
    private readonly Dictionary<int, BrokerPlan> _brokers = [];
    private readonly HashSet<int> _lapsed = [];

    public void See(in Event happened)
    {
        if (happened.Kind == EventKind.Received)
        {
            var broker = plan.BrokerOf(happened.Message);
            var arrived = new TimeSpan(happened.A);
            var limit = broker.HoldLimit is { } most ? arrived + most - LeastMargin(broker) : TimeSpan.MaxValue;
            _brokers[happened.Delivery] = broker;
            Trust(happened.Delivery, arrived, limit);
        }
        else if (happened.Kind == EventKind.RenewAnswered && happened.A == (long)Renewal.Renewed && _trusts.TryGetValue(happened.Delivery, out var trust))
        {
            if (happened.Time >= AtLeastUntil(happened.Delivery))
                _lapsed.Add(happened.Delivery);
            Trust(happened.Delivery, new TimeSpan(happened.B), trust.Limit);
        }
    }

    /// <summary>Until when it may be trusted at the most.</summary>
    public TimeSpan Until(int delivery) => _trusts.TryGetValue(delivery, out var trust) ? trust.Until : TimeSpan.Zero;

    /// <summary>Until when it must be trusted at the least, whatever margin was learnt.</summary>
    public TimeSpan AtLeastUntil(int delivery) =>
        Until(delivery) - (_brokers.TryGetValue(delivery, out var broker) ? MostMargin(broker) - LeastMargin(broker) + s_rounding : TimeSpan.Zero);

    /// <summary>Whether a grant has come so late that the lease may have been given up before.</summary>
    public bool MayHaveLapsed(int delivery) => _lapsed.Contains(delivery);

    private static TimeSpan MostMargin(BrokerPlan broker) => broker.Lock / 4;

    private static TimeSpan LeastMargin(BrokerPlan broker) => s_leastMargin < MostMargin(broker) ? s_leastMargin : MostMargin(broker);

    private void Trust(int delivery, TimeSpan asked, TimeSpan limit)
    {
        var broker = _brokers[delivery];
        var until = asked + broker.Lock - LeastMargin(broker);
        until = until < limit ? until : limit;
        if (Until(delivery) < until)
            _trusts[delivery] = (until, limit);
    }
}
