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
        var leases = Enumerable.Range(0, Leases.Count).Select(number => new PooledLease(client, clock, Leases.FirstDue(number))).ToArray();
        for (var i = 0; i < Leases.Count; i++)
        {
            var number = i;
            _ = Task.Run(leases[number].KeepAsync);
            _ = Task.Run(() => handlers.HandleAsync(number));
        }

        Thread.Sleep(length);
        var end = clock.Elapsed;
        return new(
            new Samples(leases.SelectMany(lease => lease.Sent(end))),
            new Samples(leases.SelectMany(lease => lease.Answered(end))),
            roundTrip,
            leases.Count(lease => lease.Renewals > 0),
            Missed: 0);
    }

    /// <summary>One lease, and what became of its renewals.</summary>
    private sealed class PooledLease(RenewalClient client, Stopwatch clock, TimeSpan firstDue)
    {
        private readonly object _gate = new();
        private readonly List<TimeSpan> _sent = [];
        private readonly List<TimeSpan> _answered = [];
        private TimeSpan _due = firstDue;
        private bool _isAsked;

        public int Renewals => _answered.Count;

        public async Task KeepAsync()
        {
            while (true)
            {
                if (_due > clock.Elapsed)
                    await Task.Delay(_due - clock.Elapsed);
                var asked = Asked();
                await client.RenewAsync();
                Renewed(asked);
            }
        }

        public double[] Sent(TimeSpan end)
        {
            lock (_gate)
                return WithUnfinished(_sent, _isAsked ? TimeSpan.Zero : end - _due);
        }

        public double[] Answered(TimeSpan end)
        {
            lock (_gate)
                return WithUnfinished(_answered, end - _due);
        }

        private TimeSpan Asked()
        {
            lock (_gate)
            {
                var asked = clock.Elapsed;
                _sent.Add(asked - _due);
                _isAsked = true;
                return asked;
            }
        }

        private void Renewed(TimeSpan asked)
        {
            lock (_gate)
            {
                _answered.Add(clock.Elapsed - _due);
                _due = asked + Leases.Every;
                _isAsked = false;
            }
        }

        private static double[] WithUnfinished(List<TimeSpan> late, TimeSpan age) =>
            [.. (age > TimeSpan.Zero ? late.Append(age) : late).Select(each => Math.Max(0, each.TotalMilliseconds))];
    }
}
