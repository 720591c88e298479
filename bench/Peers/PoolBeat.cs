using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>A loop on the .NET pool that is due each second, as a renewal would be, and notes how late it is.</summary>
internal sealed class PoolBeat
{
    private static readonly TimeSpan s_every = TimeSpan.FromSeconds(1);

    private readonly Stopwatch _clock = Stopwatch.StartNew();
    private readonly List<double> _late = [];
    private TimeSpan _due = s_every;

    public PoolBeat() => _ = Task.Run(BeatAsync);

    public double[] Lateness()
    {
        lock (_late)
        {
            var age = _clock.Elapsed - _due;
            return [.. age > TimeSpan.Zero ? _late.Append(age.TotalMilliseconds) : _late];
        }
    }

    private async Task BeatAsync()
    {
        while (true)
        {
            if (_due - _clock.Elapsed is var wait && wait > TimeSpan.Zero)
                await Task.Delay(wait);
            lock (_late)
            {
                _late.Add(Math.Max(0, (_clock.Elapsed - _due).TotalMilliseconds));
                _due = _clock.Elapsed + s_every;
            }
        }
    }
}
