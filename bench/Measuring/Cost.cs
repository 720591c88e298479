using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>What one operation costs: time on the clock, time on all CPUs, and bytes allocated.</summary>
internal readonly record struct Cost(double WallNanoseconds, double CpuNanoseconds, double Bytes)
{
    public static Cost OfEach(long operations, Action all)
    {
        var bytes = GC.GetTotalAllocatedBytes(precise: true);
        var cpu = Environment.CpuUsage.TotalTime;
        var start = Stopwatch.GetTimestamp();
        all();
        var wall = Stopwatch.GetElapsedTime(start);
        cpu = Environment.CpuUsage.TotalTime - cpu;
        bytes = GC.GetTotalAllocatedBytes(precise: true) - bytes;
        return new(wall.TotalNanoseconds / operations, cpu.TotalNanoseconds / operations, (double)bytes / operations);
    }
}
