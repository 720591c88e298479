using System.Diagnostics;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>One renewal request: the leases it asks for, when it was sent, and what came back. Lease thread only, but for the broker's call back.</summary>
internal sealed class RenewalBatch : IDisposable
{
    private static readonly BrokerException s_severed = new("The connection is gone that these leases lived with.", isTransient: true);

    private readonly Lease[] _leases;
    private readonly Delivery[] _deliveries;
    private readonly Renewal[] _outcomes;
    private readonly Action _answered;
    private Action<RenewalBatch>? _onAnswer;
    private CancellationTokenSource? _calledOff;

    public RenewalBatch(LeaseBook book, int most)
    {
        Book = book;
        _leases = new Lease[most];
        _deliveries = new Delivery[most];
        _outcomes = new Renewal[most];
        _answered = () => _onAnswer!(this);
    }

    public LeaseBook Book { get; }

    public int Count { get; private set; }

    public bool IsFull => Count == _leases.Length;

    public TimeSpan AskedAt { get; private set; }

    /// <summary>When the first of its leases was due.</summary>
    public TimeSpan DueAt { get; private set; }

    /// <summary>Which of this batch's requests it is. An old number tells that its answer has come.</summary>
    public int Number { get; private set; }

    /// <summary>Whether its request was given up, because all that it asks for has ended: its answer is no news, and the batch is not used again.</summary>
    public bool IsCalledOff { get; private set; }

    /// <summary>Whether all of its leases have ended.</summary>
    public bool IsOver => All(static lease => lease.IsOver);

    /// <summary>Whether all of its messages were settled.</summary>
    public bool IsSettled => All(static lease => lease.State == LeaseState.Settled);

    /// <summary>Until when any of its leases is trusted, as things are; zero where all have ended.</summary>
    public TimeSpan TrustedUntil
    {
        get
        {
            var latest = TimeSpan.Zero;
            foreach (var lease in _leases.AsSpan(0, Count))
            {
                if (!lease.IsOver)
                    latest = Times.Max(latest, lease.TrustedUntil);
            }

            return latest;
        }
    }

    public Lease this[int index] => _leases[index];

    public void Add(Lease lease)
    {
        if (Count == 0 || lease.RenewAt < DueAt)
            DueAt = lease.RenewAt;
        _leases[Count] = lease;
        _deliveries[Count] = lease.Delivery;
        _outcomes[Count++] = Renewal.Unknown;
        lease.Flight = this;
    }

    /// <summary>Sends the request. True if the answer is here already; otherwise <paramref name="onAnswer"/> is called where it arrives.</summary>
    public bool Send(TimeSpan now, Action<RenewalBatch> onAnswer, CancellationToken stop)
    {
        AskedAt = now;
        foreach (var lease in _leases.AsSpan(0, Count))
            lease.Asked(now);

        // One for all requests of this batch, for hardly any is called off.
        _calledOff ??= CancellationTokenSource.CreateLinkedTokenSource(stop);
        _onAnswer = onAnswer;
        Failure = null;
        var request = RequestAsync(_calledOff.Token);
        if (request.IsCompleted)
            return true;
        request.GetAwaiter().UnsafeOnCompleted(_answered);
        return false;
    }

    /// <summary>What became of each lease; all unknown where the request failed.</summary>
    public ReadOnlySpan<Renewal> Outcomes => _outcomes.AsSpan(0, Count);

    public Exception? Failure { get; private set; }

    /// <summary>Why nothing was renewed, if it is not for single leases' sake: it failed, or the connection died under it, which the broker's side tells as their fate.</summary>
    public Exception? Problem => Failure ?? (Outcomes.ContainsAnyExcept(Renewal.Severed) ? null : s_severed);

    /// <summary>The first time at which one of its leases can't wait for this answer any longer; it still counts if it comes.</summary>
    public TimeSpan FirstRetry()
    {
        var first = TimeSpan.MaxValue;
        foreach (var lease in _leases.AsSpan(0, Count))
        {
            if (lease.Flight == this && lease.RenewAt < first)
                first = lease.RenewAt;
        }

        return first;
    }

    /// <summary>The first trace that is recorded, of one of the messages whose leases it asks for.</summary>
    public ActivityContext FirstTrace
    {
        get
        {
            foreach (var lease in _leases.AsSpan(0, Count))
            {
                if (lease.KnownTrace is var trace && trace.IsRecorded())
                    return trace;
            }

            return default;
        }
    }

    /// <summary>The traces that are recorded, of the messages whose leases it asks for: as many as a span may be linked to.</summary>
    public ActivityContext[] Traces()
    {
        if (!FirstTrace.IsRecorded())
            return [];

        List<ActivityContext> traces = [];
        foreach (var lease in _leases.AsSpan(0, Count))
        {
            if (traces.Count < Spans.MostLinks && lease.KnownTrace is var trace && trace.IsRecorded())
                traces.Add(trace);
        }

        return [.. traces];
    }

    /// <summary>Gives its request up. What that runs may wait for a lock of the broker's client: so <paramref name="elsewhere"/>.</summary>
    public void CallOff(Action<Action> elsewhere)
    {
        IsCalledOff = true;
        var calledOff = _calledOff!;
        elsewhere(() =>
        {
            calledOff.Cancel();
            calledOff.Dispose();
        });
    }

    /// <summary>Once its answer is here, and it is not used again.</summary>
    public void Dispose()
    {
        if (!IsCalledOff)
            _calledOff?.Dispose();
    }

    public void Clear()
    {
        Number++;
        Array.Clear(_leases, 0, Count);
        Array.Clear(_deliveries, 0, Count);
        Count = 0;
        Failure = null;
    }

    private async Task RequestAsync(CancellationToken stop)
    {
        try
        {
            await Book.Receiver.RenewAsync(_deliveries.AsMemory(0, Count), _outcomes.AsMemory(0, Count), stop);
        }
        catch (Exception failure)
        {
            Failure = failure;
            Array.Clear(_outcomes);
        }
    }

    private bool All(Func<Lease, bool> are)
    {
        foreach (var lease in _leases.AsSpan(0, Count))
        {
            if (!are(lease))
                return false;
        }

        return true;
    }
}
