using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>However busy the threads are, each held lease is asked for again once half of its lock has passed since it was last asked for; and none that is over.</summary>
internal sealed class RenewedInTime(WorldPlan plan) : Rule(plan)
{
    private static readonly TimeSpan s_tolerance = TimeSpan.FromMilliseconds(1);

    private readonly Dictionary<int, Held> _held = [];
    private readonly HashSet<int> _over = [];
    private readonly HashSet<int> _exempt = [];

    protected override void See(in Event happened)
    {
        switch (happened.Kind)
        {
            case EventKind.Started when Plan.Workers[happened.A].IsSingleThread:
                _exempt.Add(happened.Life);
                break;
            case EventKind.Received:
                _held[happened.Delivery] = new(happened.Life, happened.Message, happened.Time);
                break;
            case EventKind.RenewAsked:
                Ask(happened);
                break;
            case EventKind.RenewAnswered when happened.A is (long)Renewal.Lost or (long)Renewal.Severed:
            case EventKind.Revoked when happened.A == 1:
                _held.Remove(happened.Delivery);
                break;
            case EventKind.SettleAsked or EventKind.LetGo:
                Look(happened.Time);
                if (happened.Kind == EventKind.LetGo || !Plan.BrokerOf(happened.Message).IsHeldMeanwhile)
                    _held.Remove(happened.Delivery);
                if (happened.Kind == EventKind.LetGo)
                    _over.Add(happened.Delivery);
                break;
            case EventKind.SettledAtBroker or EventKind.SettleFailed:
                _held.Remove(happened.Delivery);
                break;
            case EventKind.SettleAnswered when happened.B == 1:
                _held.Remove(happened.Delivery);
                _over.Add(happened.Delivery);
                break;
            case EventKind.Crashed or EventKind.Stopped or EventKind.Halted:
                Look(happened.Time);
                Forget(happened.Life);
                break;
            case EventKind.TurnBegun:
                Look(happened.Time);
                break;
        }
    }

    private void Ask(Event happened)
    {
        if (_over.Contains(happened.Delivery))
            Broken($"m{happened.Message} was renewed after its end.");
        Look(happened.Time);
        if (_held.TryGetValue(happened.Delivery, out var held))
            _held[happened.Delivery] = held with { Asked = happened.Time };
    }

    // Near the limit for holding a message at all, it is not asked for any more.
    private void Look(TimeSpan now)
    {
        foreach (var (delivery, held) in _held)
        {
            var broker = Plan.BrokerOf(held.Message);
            var longest = (broker.Lock / 2) + s_tolerance;
            if (now - held.Asked > longest
                && broker.HoldLimit is null
                && Trusts.AtLeastUntil(delivery) > held.Asked + longest
                && !Trusts.MayHaveLapsed(delivery)
                && !_exempt.Contains(held.Life))
            {
                Broken($"m{held.Message} (delivery {delivery}) was not renewed since {held.Asked.TotalSeconds:0.0000}, with a lock of {broker.Lock.TotalSeconds:0.000} s.");
                _held[delivery] = held with { Asked = now };
            }
        }
    }

    private void Forget(int life)
    {
        foreach (var delivery in _held.Where(entry => entry.Value.Life == life).Select(entry => entry.Key).ToArray())
            _held.Remove(delivery);
    }

    private readonly record struct Held(int Life, int Message, TimeSpan Asked);
}
