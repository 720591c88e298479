using Holdfast.Scheduling;

namespace Holdfast.Tests.Worlds;

/// <summary>No thread takes up work of a lower lane while work of a higher one waits.</summary>
internal sealed class LanesInOrder(WorldPlan plan) : Rule(plan)
{
    protected override void See(in Event happened)
    {
        if (happened.Kind != EventKind.TurnBegun)
            return;

        var (lane, lease, process) = ((Lane)happened.A, happened.B >> 32, happened.B & 0xFFFFFFFF);
        if ((lane > Lane.Lease && lease > 0) || (lane > Lane.Process && process > 0))
            Broken($"A turn of {lane} while {lease} of Lease and {process} of Process waited.");
    }
}
