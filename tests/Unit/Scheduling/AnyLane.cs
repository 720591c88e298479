using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>Posts to any of the lanes: what is work for the Process lane is a strand's.</summary>
internal static class AnyLane
{
    public static void Post(this LaneScheduler lanes, Lane lane, Action work)
    {
        _ = lane == Lane.Process ? lanes.NewStrand(0, "a").Run(work) : Enter();

        async Task Enter()
        {
            await lanes.Turn(lane);
            work();
        }
    }
}
