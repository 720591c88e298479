using System.Diagnostics;
using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Samples.Library;

/// <summary>Stands around every handler, and tells what took long.</summary>
internal static class Timing
{
    private static readonly TimeSpan s_long = TimeSpan.FromSeconds(1);

    public static async ValueTask<Settlement> Middleware(
        HeldMessage message, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> next, CancellationToken cancel)
    {
        var begun = Stopwatch.GetTimestamp();
        var settlement = await next(message, cancel);
        if (Stopwatch.GetElapsedTime(begun) > s_long)
            Console.WriteLine($"{message.Id} took long, and ended as {settlement.Kind}");
        return settlement;
    }
}
