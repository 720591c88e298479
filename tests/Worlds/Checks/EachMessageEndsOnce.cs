using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>Whatever crashes, each message is completed once, after a handler has completed it, or put aside once; and in the end none is left.</summary>
internal sealed class EachMessageEndsOnce(WorldPlan plan) : Rule(plan)
{
    private readonly int[] _ends = new int[plan.Messages.Length];
    private readonly bool[] _wasHandled = new bool[plan.Messages.Length];

    protected override void See(in Event happened)
    {
        switch (happened.Kind)
        {
            case EventKind.Ended when happened.A == (long)Ending.Complete:
                _wasHandled[happened.Message] = true;
                break;
            case EventKind.SettledAtBroker when happened is { A: (long)SettlementKind.Complete, B: 1 }:
                _ends[happened.Message]++;
                if (!_wasHandled[happened.Message])
                    Broken($"m{happened.Message} was completed, and no handler had.");
                break;
            case EventKind.FoundDead:
                _ends[happened.Message]++;
                break;
            case EventKind.FoundWaiting:
                Broken($"m{happened.Message} was still not settled.");
                _ends[happened.Message]++;
                break;
        }
    }

    protected override void Conclude()
    {
        for (var i = 0; i < _ends.Length; i++)
        {
            if (_ends[i] != 1)
                Broken($"m{i} has ended {_ends[i]} times.");
        }
    }
}
