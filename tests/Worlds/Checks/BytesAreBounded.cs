using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>While what is in hand weighs all that it may, no more is asked for; nor, but for one, more than there is room for if they weigh what the last did.</summary>
internal sealed class BytesAreBounded(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<(int Life, int Queue), int> _last = [];
    private readonly Dictionary<(int Life, int Queue), int> _bytes = [];
    private readonly Dictionary<(int Life, int Delivery), (bool IsHeld, bool IsRunning)> _inHand = [];

    protected override void See(in Event happened)
    {
        switch (happened.Kind)
        {
            case EventKind.ReceiveAsked when WorkerOf(happened.Life).Queues[happened.Queue].MaxBytes is { } most:
                Compare(happened, most);
                break;
            case EventKind.Received:
                _last[(happened.Life, Plan.QueueOf(happened.Message))] = Plan.Messages[happened.Message].Size;
                Change(happened, isHeld: true);
                break;
            case EventKind.Begun:
                Change(happened, isRunning: true);
                break;
            case EventKind.Ended:
                Change(happened, isRunning: false);
                break;

            // What follows until it is out of hand takes its time as well, and nobody sees when that is over.
            case EventKind.SettleAsked or EventKind.LetGo:
            case EventKind.RenewAnswered when happened.A is (long)Renewal.Lost or (long)Renewal.Severed:
            case EventKind.Revoked when happened.A == 1:
                Change(happened, isHeld: false);
                break;
        }
    }

    private void Compare(Event asked, int most)
    {
        var queue = (asked.Life, (int)asked.Queue);
        var room = most - _bytes.GetValueOrDefault(queue);
        if (room <= 0)
            Broken($"{asked.A} were asked for, with {most - room} bytes in hand, where {most} may be.");
        else if (asked.A > 1 && asked.A * _last.GetValueOrDefault(queue) > room)
            Broken($"{asked.A} were asked for, with room for {room} bytes, where the last one had {_last[queue]}.");
    }

    private void Change(Event happened, bool? isHeld = null, bool? isRunning = null)
    {
        var delivery = (happened.Life, happened.Delivery);
        var before = _inHand.GetValueOrDefault(delivery);
        var after = (IsHeld: isHeld ?? before.IsHeld, IsRunning: isRunning ?? before.IsRunning);
        _inHand[delivery] = after;
        var queue = (happened.Life, Plan.QueueOf(happened.Message));
        var more = (after.IsHeld || after.IsRunning ? 1 : 0) - (before.IsHeld || before.IsRunning ? 1 : 0);
        _bytes[queue] = _bytes.GetValueOrDefault(queue) + (more * Plan.Messages[happened.Message].Size);
    }
}
