using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Holdfast.Measuring;

/// <summary>Burns CPU: by the clock, or as a fixed amount of work that takes its time whatever else runs.</summary>
internal static class Burn
{
    private static readonly double s_stepsPerMicrosecond = Calibrate();

    public static void For(TimeSpan time)
    {
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < time)
            Steps(200);
    }

    /// <summary>As much work as takes that long on a CPU of its own.</summary>
    public static void Work(double microseconds) => Steps((long)(microseconds * s_stepsPerMicrosecond));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Steps(long steps)
    {
        var state = 88172645463325252UL;
        for (var i = 0L; i < steps; i++)
        {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
        }

        return state;
    }

    // The best of many: a try that was interrupted says nothing of the work.
    private static double Calibrate()
    {
        const int Tries = 500;
        const int Count = 20_000;
        var best = double.MaxValue;
        for (var i = 0; i < Tries; i++)
        {
            var start = Stopwatch.GetTimestamp();
            Steps(Count);
            best = Math.Min(best, Stopwatch.GetElapsedTime(start).TotalMicroseconds);
        }

        return Count / best;
    }
}
