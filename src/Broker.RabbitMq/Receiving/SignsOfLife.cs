namespace Holdfast.Broker.RabbitMq;

/// <summary>Whether the server answers on a channel, when it last did, and what those who wait for messages are told where it does not. Any thread.</summary>
internal sealed class SignsOfLife(Shelf shelf, TimeSpan lockDuration, TimeProvider time, Func<Exception, BrokerException> explain)
{
    private volatile BrokerException? _problem;
    private BrokerException? _silence;
    private long _livedAt = time.GetTimestamp();
    private volatile bool _isSilent;

    /// <summary>Whether a consumer or a sign of life was asked for, and the server has said nothing for a while.</summary>
    public bool AreMissing => Problem is not null || _isSilent;

    /// <summary>What those who wait for messages are told while a question of another kind is not answered.</summary>
    public BrokerException? Problem => _problem;

    /// <summary>When that question was asked which the server was the last to answer with a sign of life; before the first, when it was opened.</summary>
    public long LivedAt => Volatile.Read(ref _livedAt);

    /// <summary>Whether nothing has come from the server for longer than it bears it without a sign of life of ours.</summary>
    public bool AreInDoubt => time.GetElapsedTime(LivedAt) >= lockDuration;

    /// <summary>Whether half of the lock is over of what arrived then, so that there may be little time to begin with it.</summary>
    public bool IsStale(long arrivedAt) => time.GetElapsedTime(Math.Max(arrivedAt, LivedAt)) >= lockDuration / 2;

    /// <summary>That no sign of life comes, for one who waits for messages to be told, once: who waits on hears at once that the connection ends.</summary>
    public BrokerException? TakeSilence() => Interlocked.Exchange(ref _silence, null);

    /// <summary>Waits for the server's answer to a question that can't be taken back. When it takes long, those who wait for messages are told, and it is waited on.</summary>
    public async Task WaitAsync(Task asked)
    {
        await asked.WaitAsync(Questions.Patience, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!asked.IsCompleted)
        {
            _problem = explain(new UnansweredException(Questions.Patience));
            shelf.Wake();
        }

        await asked.ConfigureAwait(false);
        _problem = null;
    }

    /// <summary>
    /// Asks for a sign of life, and waits for it. That none comes is told while the leases that it is asked for still last: what ends then has ended for want of the server, and not of us.
    /// </summary>
    public async Task AskAsync(Func<Task> ask)
    {
        var askedAt = time.GetTimestamp();
        var asked = ask();
        var patience = lockDuration / 4;
        await asked.WaitAsync(patience, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!asked.IsCompleted)
        {
            Volatile.Write(ref _silence, explain(new SilentException(patience)));
            _isSilent = true;
            shelf.Wake();
        }

        await asked.ConfigureAwait(false);
        _isSilent = false;
        TakeSilence();
        Volatile.Write(ref _livedAt, askedAt);
    }
}
