using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>One renewal request: the leases it asks for, when it was sent, and what came back. Lease thread only, but for the broker's call back.</summary>
internal sealed class RenewalBatch
{
    private readonly Lease[] _leases;
    private readonly Delivery[] _deliveries;
    private readonly Renewal[] _outcomes;
    private readonly Action _answered;
    private Action<RenewalBatch>? _onAnswer;

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

    /// <summary>When to ask again without waiting for this answer any longer; it still counts if it comes.</summary>
    public TimeSpan AnswerBy { get; private set; }

    public Lease this[int index] => _leases[index];

    public void Add(Lease lease)
    {
        _leases[Count] = lease;
        _deliveries[Count] = lease.Delivery;
        _outcomes[Count++] = Renewal.Unknown;
        lease.Flight = this;
    }

    /// <summary>Sends the request. True if the answer is here already; otherwise <paramref name="onAnswer"/> is called where it arrives.</summary>
    public bool Send(TimeSpan now, Action<RenewalBatch> onAnswer, CancellationToken stop)
    {
        AskedAt = now;
        AnswerBy = TimeSpan.MaxValue;
        foreach (var lease in _leases.AsSpan(0, Count))
        {
            var retry = LeaseTerms.RetryAt(now, lease.TrustedUntil);
            AnswerBy = retry < AnswerBy ? retry : AnswerBy;
        }

        _onAnswer = onAnswer;
        Failure = null;
        var request = RequestAsync(stop);
        if (request.IsCompleted)
            return true;
        request.GetAwaiter().UnsafeOnCompleted(_answered);
        return false;
    }

    /// <summary>What became of each lease; all unknown where the request failed.</summary>
    public ReadOnlySpan<Renewal> Outcomes => _outcomes.AsSpan(0, Count);

    public Exception? Failure { get; private set; }

    public void Clear()
    {
        Array.Clear(_leases, 0, Count);
        Array.Clear(_deliveries, 0, Count);
        Count = 0;
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
}
