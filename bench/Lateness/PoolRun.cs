using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>The same leases and handlers, all of them on the .NET thread pool: a loop with Task.Delay for each lease.</summary>
internal static class PoolRun
{
    public static Lateness Measure(TimeSpan length)
    {
        using var server = new RenewalServer();
        using var client = new RenewalClient(server.Port);
        var roundTrip = RoundTrips.Measure(client, 500);

        var handlers = new Handlers(Manner.Burn);
        var clock = Stopwatch.StartNew();
        var logs = Enumerable.Range(0, Leases.Count).Select(number => new RenewalLog(Leases.FirstDue(number))).ToArray();
        for (var i = 0; i < Leases.Count; i++)
        {
            var number = i;
            _ = Task.Run(() => KeepAsync(client, clock, logs[number]));
            _ = Task.Run(() => handlers.HandleAsync(number));
        }

        Thread.Sleep(length);
        return Lateness.Of(logs, clock.Elapsed, roundTrip, missed: 0);
    }

    private static async Task KeepAsync(RenewalClient client, Stopwatch clock, RenewalLog log)
    {
        while (true)
        {
            if (log.Due - clock.Elapsed is var wait && wait > TimeSpan.Zero)
                await Task.Delay(wait);
            log.Asked(clock.Elapsed);
            await client.RenewAsync();
            log.Renewed(clock.Elapsed);
        }
    }
}
