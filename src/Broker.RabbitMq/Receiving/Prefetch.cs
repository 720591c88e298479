namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// How many unsettled messages the server may let us have, and in how many consumers that is cut: a consumer's prefetch can't be changed,
/// but another consumer can be added, and all can be ended and begun anew. Decides only.
/// </summary>
internal static class Prefetch
{
    private const int MostTaps = 8;
    private const int Slack = 8;

    /// <param name="wanted">How many unsettled messages there may be in all; 0 asks for nothing more.</param>
    /// <param name="open">What the open consumers may have between them.</param>
    /// <param name="taps">How many consumers are open.</param>
    /// <param name="leftover">Unsettled messages of consumers that were ended.</param>
    /// <param name="isParched">Whether somebody has waited for a while although no consumer can get anything: then the least that is missing is worth a change.</param>
    public static PrefetchChange Change(int wanted, int open, int taps, int leftover, bool isParched = false)
    {
        // More than all consumers can say between them would have them ended and begun anew for ever.
        wanted = Math.Min(wanted, leftover + (MostTaps * ushort.MaxValue));
        var have = open + leftover;
        if (wanted < have - (have / 4))
            return taps > 0 ? PrefetchChange.EndAll : PrefetchChange.None;
        if (wanted - have < (open == 0 || isParched ? 1 : Math.Max(1, have / Slack)))
            return PrefetchChange.None;
        return taps < MostTaps ? PrefetchChange.Add(Math.Min(wanted - have, ushort.MaxValue)) : PrefetchChange.EndAll;
    }
}
