using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>Telling somebody else's code, which may take its time, or throw: a log, a listener, a broker's client.</summary>
internal static class Telling
{
    /// <summary>Tells it in a turn of the Lease lane, and returns at once: whoever finds it, such as the lease thread, must not wait.</summary>
    public static void TellInTurn(this LaneScheduler lanes, Action tell)
    {
        _ = TellAsync();

        async Task TellAsync()
        {
            await lanes.Turn(Lane.Lease);
            tell();
        }
    }
}
