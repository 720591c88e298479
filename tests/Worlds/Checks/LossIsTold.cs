using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Worlds;

/// <summary>Once trust is over, or the connection that a lease lived with, a handler is told so before any other work begins; and it is not told without a reason.</summary>
internal sealed class LossIsTold(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<int, (int Life, int Message)> _running = [];
    private readonly Dictionary<int, TimeSpan> _begun = [];
    private readonly HashSet<int> _refused = [];
    private readonly HashSet<int> _severed = [];
    private readonly HashSet<int> _stopping = [];

    protected override void See(in Event happened)
    {
        switch (happened.Kind)
        {
            case EventKind.StopAsked:
                _stopping.Add(happened.Life);
                break;
            case EventKind.RenewAnswered when happened.A is (long)Renewal.Lost or (long)Renewal.Severed:
                _refused.Add(happened.Delivery);
                break;
            case EventKind.Revoked when happened.A == 1:
                _refused.Add(happened.Delivery);
                _severed.Add(happened.Delivery);
                break;
            case EventKind.Begun:
                Begin(happened);
                _running[happened.Delivery] = (happened.Life, happened.Message);
                _begun[happened.Delivery] = happened.Time;
                break;
            case EventKind.Ended:
                _running.Remove(happened.Delivery);
                break;
            case EventKind.CalledOff:
                _running.Remove(happened.Delivery);
                CallOff(happened);
                break;
            case EventKind.Crashed:
                End(happened.Life);
                break;
            case EventKind.TurnBegun when happened.A != (long)Lane.Lease:
                Look(happened);
                break;
        }
    }

    private void End(int life)
    {
        foreach (var (delivery, _) in _running.Where(run => run.Value.Life == life).ToArray())
            _running.Remove(delivery);
    }

    private void Look(Event happened)
    {
        foreach (var (delivery, (life, message)) in _running)
        {
            if (life == happened.Life && Trusts.Until(delivery) < happened.Time)
                Broken($"m{message} (delivery {delivery}) was trusted until {Trusts.Until(delivery).TotalSeconds:0.0000}, and its handler has not been told.");
        }
    }

    // What a connection took with it comes again to the same worker as well. What was handed out before that is another lease, and has another end.
    private void Begin(Event happened)
    {
        foreach (var (delivery, run) in _running)
        {
            if (run == (happened.Life, happened.Message) && delivery < happened.Delivery && _severed.Contains(delivery))
                Broken($"m{happened.Message} (delivery {delivery}) went with its connection, and began anew before its first handler was told.");
        }
    }

    private void CallOff(Event happened)
    {
        if (!_refused.Contains(happened.Delivery)
            && !_stopping.Contains(happened.Life)
            && !Trusts.MayHaveLapsed(happened.Delivery)
            && Plan.BrokerOf(happened.Message).HoldLimit is null
            && happened.Time < Trusts.AtLeastUntil(happened.Delivery)
            && !HasTakenTooLong(happened))
            Broken($"The handler of m{happened.Message} was called off for nothing.");
    }

    private bool HasTakenTooLong(Event calledOff) =>
        ConsumerOf(calledOff.Life, calledOff.Message).AttemptTimeout is { } longest && calledOff.Time >= _begun[calledOff.Delivery] + longest;
}
