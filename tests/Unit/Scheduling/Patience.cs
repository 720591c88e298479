using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>How long is waited for what real threads do.</summary>
internal static class Patience
{
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(60);

    public static T Take<T>(BlockingCollection<T> from)
    {
        Assert.True(from.TryTake(out var item, Longest));
        return item;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void SpinUntil(Func<bool> condition)
    {
        for (var watch = Stopwatch.StartNew(); !condition();)
        {
            Assert.True(watch.Elapsed < Longest);
            Thread.SpinWait(5);
        }
    }
}
