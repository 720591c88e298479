namespace Holdfast.Bench;

/// <summary>When one lease was due, asked for and renewed, and how late that was. Any thread.</summary>
internal sealed class RenewalLog(TimeSpan firstDue)
{
    private readonly Lock _gate = new();
    private readonly List<TimeSpan> _sent = [];
    private readonly List<TimeSpan> _answered = [];
    private TimeSpan _due = firstDue;
    private TimeSpan? _asked;

    public TimeSpan Due
    {
        get
        {
            lock (_gate)
                return _due;
        }
    }

    public int Renewals => _answered.Count;

    public void Asked(TimeSpan now)
    {
        lock (_gate)
        {
            _sent.Add(now - _due);
            _asked = now;
        }
    }

    public void Renewed(TimeSpan now)
    {
        lock (_gate)
        {
            _answered.Add(now - _due);
            _due = (_asked ?? now) + Leases.Every;
            _asked = null;
        }
    }

    /// <summary>How late each was sent, in milliseconds; one that is overdue at the end counts with its age.</summary>
    public double[] Sent(TimeSpan end)
    {
        lock (_gate)
            return Milliseconds(_sent, _asked is null ? end - _due : TimeSpan.Zero);
    }

    /// <summary>How late each was renewed, in milliseconds; one that is overdue at the end counts with its age.</summary>
    public double[] Answered(TimeSpan end)
    {
        lock (_gate)
            return Milliseconds(_answered, end - _due);
    }

    // What was sent together with others before it was due is not late.
    private static double[] Milliseconds(List<TimeSpan> late, TimeSpan age) =>
        [.. (age > TimeSpan.Zero ? late.Append(age) : late).Select(each => Math.Max(0, each.TotalMilliseconds))];
}
