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

    private readonly Dictionary<int, Trust> _trusts = [];

    public void See(in Event happened)
    {
        if (happened.Kind == EventKind.Received)
        {
            var broker = plan.BrokerOf(happened.Message);
            var arrived = new TimeSpan(happened.A);
            var limit = broker.HoldLimit is { } most ? arrived + most - LeastMargin(broker) : TimeSpan.MaxValue;
            _trusts[happened.Delivery] = new Trust(broker, limit).Granted(arrived);
        }
        else if (happened.Kind == EventKind.RenewAnswered && happened.A == (long)Renewal.Renewed && _trusts.TryGetValue(happened.Delivery, out var trust))
        {
            _trusts[happened.Delivery] = (trust with { MayHaveLapsed = trust.MayHaveLapsed || happened.Time >= trust.AtLeastUntil }).Granted(new TimeSpan(happened.B));
        }
    }

    /// <summary>Until when it may be trusted at the most.</summary>
    public TimeSpan Until(int delivery) => _trusts.GetValueOrDefault(delivery).Until;

    /// <summary>Until when it must be trusted at the least, whatever margin was learnt.</summary>
    public TimeSpan AtLeastUntil(int delivery) => _trusts.GetValueOrDefault(delivery).AtLeastUntil;

    /// <summary>Whether a grant has come so late that the lease may have been given up before.</summary>
    public bool MayHaveLapsed(int delivery) => _trusts.GetValueOrDefault(delivery).MayHaveLapsed;

    private static TimeSpan MostMargin(BrokerPlan broker) => broker.Lock / 4;

    private static TimeSpan LeastMargin(BrokerPlan broker) => s_leastMargin < MostMargin(broker) ? s_leastMargin : MostMargin(broker);

    private readonly record struct Trust(BrokerPlan? Broker, TimeSpan Limit)
    {
        public TimeSpan Until { get; private init; }

        public TimeSpan AtLeastUntil => Broker is null ? Until : Until - (MostMargin(Broker) - LeastMargin(Broker) + s_rounding);

        public bool MayHaveLapsed { get; init; }

        public Trust Granted(TimeSpan asked)
        {
            var until = asked + Broker!.Lock - LeastMargin(Broker);
            until = until < Limit ? until : Limit;
            return until > Until ? this with { Until = until } : this;
        }
    }
}
