using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// One channel's life: its consumers, what has arrived by them, and whether it still lives. When it ends, so does every lease that came by it.
/// Any thread; deliveries come in on the client's.
/// </summary>
internal sealed class Intake
{
    private static readonly TimeSpan s_timeToClose = TimeSpan.FromSeconds(2);
    private const int MostInDoubt = 4096;

    private readonly TaskCompletionSource _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Shelf _shelf = new();
    private readonly SettledInDoubt _inDoubt = new();
    private readonly Func<Exception, BrokerException> _explain;
    private readonly SignsOfLife _signs;
    private readonly Pulse _pulse;
    private readonly Taps _taps;
    private readonly Handover _handover;
    private readonly Acknowledgements _acknowledgements;
    private readonly Unclaimed _unclaimed;
    private readonly Drought _drought;
    private readonly ShortLives _shortLives;
    private readonly long _openedAt;
    private BrokerException? _end;
    private volatile bool _isClosed;
    private volatile bool _isFarewellAnswered;

    public Intake(
        string queue, IChannel channel, TimeSpan lockDuration, TimeSpan holdLimit, Recollection recollection, DroughtPatience patience, ShortLives shortLives,
        TimeProvider time, Func<Exception, BrokerException> explain)
    {
        (Queue, Channel, LockDuration, HoldLimit, Recollection, Time, _explain) = (queue, channel, lockDuration, holdLimit, recollection, time, explain);
        _shortLives = shortLives;
        _openedAt = time.GetTimestamp();
        _signs = new SignsOfLife(_shelf, lockDuration, time, explain);
        _pulse = new Pulse(BeatOnceAsync);
        _taps = new Taps(this);
        _handover = new Handover(this, _shelf, _taps, _signs);
        _acknowledgements = new Acknowledgements(this);
        _unclaimed = new Unclaimed(this, _shelf, _taps);
        _drought = new Drought(this, patience);
        channel.ChannelShutdownAsync += OnShutdownAsync;
    }

    public string Queue { get; }

    public IChannel Channel { get; }

    /// <summary>A name that no other channel has or ever had.</summary>
    public string Name { get; } = $"holdfast-{Guid.NewGuid():N}";

    public TimeSpan LockDuration { get; }

    public TimeSpan HoldLimit { get; }

    public Recollection Recollection { get; }

    /// <summary>Asks the server for the queue; fails where it does not answer in time. On another channel: where the queue hangs, so does whoever asks for it.</summary>
    public required Func<Task<QueueDeclareOk>> Look { get; init; }

    /// <summary>Whether the queue was consumed before, here or on an earlier channel.</summary>
    public bool HasWorked { get; set; }

    /// <summary>Whether it takes the place of another, and the server has yet to let it consume: the other may have ended because the server does not.</summary>
    public bool IsOnTrial { get; set; }

    /// <summary>What its consumers are opened with.</summary>
    public IDictionary<string, object?>? ConsumerArguments { get; init; }

    /// <summary>Whether messages are to be handled in the order in which they come.</summary>
    public bool IsInOrder { get; init; }

    public TimeProvider Time { get; }

    public Repeats Repeats { get; } = new();

    public bool IsOver => HasFailed || _isClosed;

    /// <summary>Whether it came to an end that we did not choose: then nothing can be sent on it any more.</summary>
    public bool HasFailed => Volatile.Read(ref _end) is not null;

    /// <summary>What brought that about, for a person to read.</summary>
    public string? WhyOver => Volatile.Read(ref _end)?.Message;

    /// <summary>Once it is closed: how many messages, of those with an id, were settled without the server having shown that it has heard of that.</summary>
    public int Unheard => _isFarewellAnswered ? 0 : _inDoubt.Taken;

    /// <inheritdoc cref="SignsOfLife.AreMissing"/>
    public bool IsUnanswered => _signs.AreMissing;

    /// <inheritdoc cref="SignsOfLife.LivedAt"/>
    public long LivedAt => _signs.LivedAt;

    /// <summary>Whether somebody waits for messages, and none is in hand.</summary>
    public bool IsDry => !IsOver && _taps.AreDry;

    public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel) =>
        _unclaimed.TakeProblem() is { } problem ? ValueTask.FromException<int>(problem) : _handover.ReceiveAsync(room, cancel);

    /// <exception cref="BrokerException">It came to an end.</exception>
    /// <exception cref="OperationCanceledException">It was closed.</exception>
    public void ThrowIfOver()
    {
        if (_isClosed)
            throw new OperationCanceledException("The receiver was closed.");
        if (Volatile.Read(ref _end) is { } end)
            throw new BrokerException(end.Message, end.IsTransient, end) { RetryAfter = _shortLives.Left is { Ticks: > 0 } left ? left : null };
    }

    public void Arrived(Tap tap, in Arrival arrival)
    {
        var delivery = new RabbitMqDelivery(tap, arrival);
        if (delivery.IsRepeat)
        {
            // Before anybody can take it: whoever has an earlier delivery of it is called off first.
            Repeats.Add(delivery);
            Recollection.NoteRepeat();
        }

        _shelf.Add(delivery);
        _drought.Arrived();
        _unclaimed.Arrived();
    }

    /// <summary>
    /// The server has ended a consumer by itself: its queue is gone from here, and so is what was held of it. Or something was held too long:
    /// then the rest is still the channel's, and goes back to the queue with it.
    /// </summary>
    public void Cancelled() => Abandon(Problems.ConsumerEnded(Queue));

    /// <inheritdoc cref="SignsOfLife.WaitAsync"/>
    public Task AnswerAsync(Task asked) => _signs.WaitAsync(asked);

    /// <summary>Completes when the server has answered to something that was sent after this was called; fails at the end of the intake, though a channel that hangs never answers.</summary>
    public async Task BeatAsync()
    {
        var beat = _pulse.BeatAsync();
        await Task.WhenAny(beat, _over.Task).ConfigureAwait(false);
        _ = beat.HearAsync();
        ThrowIfOver();
        await beat.ConfigureAwait(false);
    }

    public void Acknowledge(RabbitMqDelivery delivery)
    {
        MessageKey? key = delivery.IsNamed ? delivery.Key : null;
        NoteInDoubt(key);
        _acknowledgements.Add(delivery.Tag, key);
        Ended(delivery);
    }

    /// <summary>Asks the server, if anything that was settled is in doubt: where nothing is held there are no leases whose renewal asks.</summary>
    public void ClearDoubt()
    {
        if (!_inDoubt.IsEmpty)
            _ = BeatAsync().HearAsync();
    }

    /// <summary>Completes once all acknowledgements so far are sent, or could not be.</summary>
    public Task AcknowledgementsSentAsync() => _acknowledgements.SentAsync();

    /// <summary>These acknowledgements were sent, or could not be. Only from here on do answers of the server tell anything about them.</summary>
    public void Acknowledged(List<(ulong Tag, MessageKey? Key)> sent)
    {
        foreach (var (_, key) in sent)
            NoteInDoubt(key);
        if (!IsOver && _inDoubt.SincePulse >= MostInDoubt)
            _ = BeatAsync().HearAsync();
    }

    /// <summary>Back to the queue, as one whose handling failed.</summary>
    public async Task RejectAsync(RabbitMqDelivery delivery, CancellationToken cancel)
    {
        await Channel.BasicRejectAsync(delivery.Tag, requeue: true, cancel).ConfigureAwait(false);
        Passed(delivery);
    }

    /// <summary>Back to the queue, through no fault of the message's: from RabbitMQ 4.3 on this does not count against it.</summary>
    public async Task GiveBackAsync(RabbitMqDelivery delivery, CancellationToken cancel)
    {
        Recollection.NoteGivenBack();
        await Channel.BasicNackAsync(delivery.Tag, multiple: false, requeue: true, cancel).ConfigureAwait(false);
        Passed(delivery);
    }

    /// <summary>A settlement was not sent, so another one may be; unless the delivery was let go meanwhile, for then it is given back.</summary>
    public void HoldOn(RabbitMqDelivery delivery)
    {
        delivery.HoldOn();
        if (delivery.IsUnwanted)
            LetGo(delivery);
    }

    /// <summary>Gives a delivery back without waiting for anything; one that is being settled, if that is called off.</summary>
    public void LetGo(RabbitMqDelivery delivery)
    {
        delivery.NoteUnwanted();
        if (!IsOver && delivery.TryEnd())
            _ = LetGoAsync(delivery);
    }

    /// <summary>Something went wrong on the channel that it can't go on from.</summary>
    public void Fail(Exception problem) => End(_explain(problem), (problem as OperationInterruptedException)?.ShutdownReason);

    /// <summary>Nothing useful will come by it any more: it ends, and the server, which does not know that yet, is to send nothing more to it.</summary>
    public void Abandon(Exception problem)
    {
        Fail(problem);
        _ = HangUpAsync();
    }

    /// <summary>Ends the channel. Whatever came by it and is not settled goes back to the queue.</summary>
    public async ValueTask CloseAsync()
    {
        _isClosed = true;
        _over.TrySetResult();
        _shelf.Wake();
        await _unclaimed.EndAsync().ConfigureAwait(false);
        await _drought.EndAsync().ConfigureAwait(false);
        await _taps.EndAsync().ConfigureAwait(false);
        using var enough = new CancellationTokenSource(s_timeToClose, Time);
        await AcknowledgementsSentAsync().WaitAsync(enough.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

        // It answers in order: by then it has heard of all that was settled.
        var hadFailed = HasFailed;
        var farewell = HangUpAsync();
        await ((Task)farewell).WaitAsync(enough.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _isFarewellAnswered = !hadFailed && farewell is { IsCompletedSuccessfully: true, Result: true };
        Recollection.NoteSettled(_inDoubt.TakeAll());
    }

    // Whether the server has answered to that. If it can't be told, it is left to find out.
    private async Task<bool> HangUpAsync()
    {
        try
        {
            await using (Channel.ConfigureAwait(false))
                await Channel.CloseAsync().ConfigureAwait(false);
            return true;
        }
        catch (Exception)
        {
            return false;
        }
    }

    private void NoteInDoubt(MessageKey? key)
    {
        if (key is not { } message)
            return;

        _inDoubt.Add(message);
        if (IsOver)
            Recollection.NoteSettled(_inDoubt.TakeAll());
    }

    private void Passed(RabbitMqDelivery delivery)
    {
        _acknowledgements.Pass(delivery.Tag);
        Ended(delivery);
    }

    private void Ended(RabbitMqDelivery delivery)
    {
        _taps.Settled(delivery.Tap);
        if (delivery.IsRepeat)
            Repeats.Remove(delivery);
    }

    private async Task LetGoAsync(RabbitMqDelivery delivery)
    {
        try
        {
            await GiveBackAsync(delivery, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            Fail(e);
        }
    }

    private async Task BeatOnceAsync()
    {
        ThrowIfOver();
        _inDoubt.BeginPulse();
        try
        {
            await _signs.AskAsync(_taps.AskForSignOfLifeAsync).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            Fail(e);
            throw;
        }
    }

    private Task OnShutdownAsync(object channel, ShutdownEventArgs reason)
    {
        End(_explain(new OperationInterruptedException(reason)), reason);
        return Task.CompletedTask;
    }

    private void End(BrokerException why, ShutdownEventArgs? reason)
    {
        if (Interlocked.CompareExchange(ref _end, HasWorked ? why.ForNow() : why, null) is not null)
            return;

        _shortLives.Note(_openedAt, reason is not null && Replies.IsPerhapsForMessage(reason));
        _shelf.TakeAll();
        Recollection.NoteSettled(_inDoubt.TakeAll());
        _over.TrySetResult();
        _shelf.Wake();
    }
}
