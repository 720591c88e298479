using Holdfast.Broker;

namespace Holdfast.Worker.Commands;

/// <summary>Goes through a sweep, and takes what matches, at a rate.</summary>
internal sealed class Clearing(ISweep sweep, MessageFilter filter, int limit, double? rate, TimeProvider time)
{
    // With a rate, what was taken leaves this often, and not all at once when a batch is full.
    private const int CommitsPerSecond = 10;

    /// <summary>How many messages it has looked at.</summary>
    public long Seen { get; private set; }

    /// <summary>How many of them were meant.</summary>
    public long Matched { get; private set; }

    /// <summary>Whether there are as many as were asked for. One that can't be sent is not among them: it would stand in the place of another each time.</summary>
    public bool IsEnough => Matched - sweep.Unsent.Count >= limit;

    public async Task RunAsync(IProgress<long> progress, CancellationToken cancel)
    {
        var pace = new Pace(rate, time);
        var together = rate is { } perSecond ? Math.Max(1, (long)(perSecond / CommitsPerSecond)) : long.MaxValue;
        while (!IsEnough && await sweep.NextAsync(cancel) is { } message)
        {
            Seen++;
            if (filter.Matches(message))
            {
                await pace.NextAsync(cancel);
                await sweep.TakeAsync(message, cancel);
                if (++Matched % together == 0)
                    await sweep.CommitAsync(cancel);
            }

            progress.Report(Seen);
        }

        await sweep.CommitAsync(cancel);
    }
}
