namespace Holdfast.Measuring;

/// <summary>Runs contenders by turns, so that whatever else the machine does strikes all of them alike.</summary>
internal static class Interleaved
{
    /// <summary>Returns what each contender gave, round by round, the warm-up left out.</summary>
    public static T[][] Run<T>(int warmUps, int rounds, params Func<T>[] contenders)
    {
        var results = contenders.Select(_ => new T[rounds]).ToArray();
        for (var round = 0; round < warmUps + rounds; round++)
        {
            for (var turn = 0; turn < contenders.Length; turn++)
            {
                // Each is first as often as last.
                var contender = (turn + round) % contenders.Length;
                GC.Collect();
                var result = contenders[contender]();
                if (round >= warmUps)
                    results[contender][round - warmUps] = result;
            }
        }

        return results;
    }
}
