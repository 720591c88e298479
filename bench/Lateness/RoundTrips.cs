using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>The round trips of a client that has nothing else to do.</summary>
internal static class RoundTrips
{
    private const int WarmUps = 200;

    public static Samples Measure(RenewalClient client, int count)
    {
        var samples = new List<double>();
        for (var i = -WarmUps; i < count; i++)
        {
            var start = Stopwatch.GetTimestamp();
            client.RenewAsync().Wait();
            if (i >= 0)
                samples.Add(Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        }

        return new Samples(samples);
    }
}
