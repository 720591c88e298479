using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Sends messages to one entity. What is handed over while a transfer is under way waits for it, and then travels together. Any thread;
/// its loop goes on wherever the broker's answer arrives.
/// </summary>
internal sealed class Outbox : IAsyncDisposable
{
    // What a namespace of the smallest tier takes, where the broker does not say.
    private const ulong LeastMaxMessageSize = 256 * 1024;

    // The slowest path that is thought of, in bytes a second: what it needs for the way there is not the broker's silence.
    private const double SlowestPath = 64 * 1024;

    private readonly Lock _gate = new();
    private readonly Queue<Parcel> _waiting = new();
    private readonly Dialer _dialer;
    private readonly EntityName _entity;
    private readonly TimeSpan _patience;
    private readonly Kept<AmqpSender> _link;
    private readonly CancellationTokenSource _closing = new();
    private bool _isSending;
    private volatile bool _isClosed;

    public Outbox(Dialer dialer, EntityName entity, TimeSpan patience)
    {
        (_dialer, _entity, _patience) = (dialer, entity, patience);
        _link = new(OpenLinkAsync, link => link.Failure is not null);
    }

    /// <summary>Makes sure that it can be sent to.</summary>
    /// <exception cref="BrokerException">It can't be.</exception>
    public async ValueTask OpenAsync(CancellationToken cancel) => await _link.OpenAsync().WaitAsync(cancel).ConfigureAwait(false);

    /// <summary>Returns once the broker has it. Called off before it has left, it stays; after that, nobody knows.</summary>
    /// <exception cref="BrokerException">The broker refused it, or it has not left in full, or whether the broker has it is unknown.</exception>
    public ValueTask SendAsync(AmqpMessage message, CancellationToken cancel) => SendAsync(message, row: null, cancel);

    /// <summary>The same, in its place in a row.</summary>
    public async ValueTask SendAsync(AmqpMessage message, Row? row, CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        var parcel = Parcel.Of(message, row);
        using var callOff = cancel.UnsafeRegister(static (state, token) => ((Parcel)state!).TrySetCanceled(token), parcel);
        if (IsFirst(parcel))
            _ = SendAllAsync();
        await parcel.Task.ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            if (_isClosed)
                return;
            _isClosed = true;
        }

        // From now on none is opened: this is the one there is, or how its opening ended.
        await _closing.CancelAsync().ConfigureAwait(false);
        var link = _link.OpenAsync();
        await ((Task)link).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (link.IsCompletedSuccessfully)
            await link.Result.Session.LeaveAsync(_dialer.Time).ConfigureAwait(false);
        _closing.Dispose();
        await Hop.ToPool();
    }

    private bool IsFirst(Parcel parcel)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            _waiting.Enqueue(parcel);
            return !_isSending && (_isSending = true);
        }
    }

    private async Task SendAllAsync()
    {
        var most = LeastMaxMessageSize;
        while (TakeNext(most) is { Count: > 0 } messages)
        {
            try
            {
                var link = await _link.OpenAsync().ConfigureAwait(false);
                most = link.MaxMessageSize ?? LeastMaxMessageSize;
                await SendAsync(link, messages).ConfigureAwait(false);
            }
            catch (AmqpException refused) when (messages.Count > 1 && refused is { Level: AmqpLevel.Link, Condition.Value: Conditions.NotAllowed or Conditions.MessageTooLarge })
            {
                // It is the batch that the broker has ended the link for: nothing of it was taken.
                Mark(messages, mayHaveArrived: false);
                await SendOneByOneAsync(messages).ConfigureAwait(false);
            }
            catch (Exception problem)
            {
                foreach (var message in messages)
                    Fail(message, problem);
            }
        }
    }

    private void Fail(Parcel parcel, Exception problem)
    {
        parcel.Row?.IsBroken = true;
        parcel.TrySetException(Told(problem, parcel.MayHaveArrived));
    }

    private static void Mark(List<Parcel> parcels, bool mayHaveArrived)
    {
        foreach (var parcel in parcels)
            parcel.MayHaveArrived = mayHaveArrived;
    }

    private List<Parcel> TakeNext(ulong most)
    {
        lock (_gate)
        {
            var messages = Batch.Take(_waiting, most);
            _isSending = messages.Count > 0;
            return messages;
        }
    }

    private async ValueTask SendAsync(AmqpSender link, List<Parcel> messages)
    {
        var outcome = await InTimeAsync(link, messages).ConfigureAwait(false);
        if (outcome is Rejected)
            Mark(messages, mayHaveArrived: false);
        if (outcome is Accepted)
        {
            foreach (var message in messages)
                message.TrySetResult();
        }
        else if (messages.Count > 1 && outcome is Rejected rejected && !Conditions.IsOfEntity(rejected.Error?.Condition.Value))
        {
            await SendOneByOneAsync(messages).ConfigureAwait(false);
        }
        else
        {
            throw outcome is Rejected { Error: var error }
                ? _dialer.Problems.Of(Refusal.Of(error), _entity)
                : _dialer.Problems.Nonsense(_entity, $"a message that was sent ended as {outcome.GetType().Name}");
        }
    }

    // Called off when the patience ends: what waits for the broker to take it must not leave when its sender has long tried again.
    private async ValueTask<DeliveryState> InTimeAsync(AmqpSender link, List<Parcel> messages)
    {
        var patience = PatienceWith(messages.Sum(message => (long)message.Payload.Length));
        using var enough = new CancellationTokenSource(patience, _dialer.Time);
        using var answer = link.Session.Connection.AwaitAnswer();
        try
        {
            return await TransferAsync(link, messages, enough.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (enough.IsCancellationRequested)
        {
            throw messages[0].MayHaveArrived ? _dialer.Problems.Silence(_entity, "send", patience) : _dialer.Problems.Unsent(_entity, patience);
        }
    }

    /// <summary>How long so many bytes may take to get there and be answered.</summary>
    internal TimeSpan PatienceWith(long bytes) => _patience + TimeSpan.FromSeconds(bytes / SlowestPath);

    private static ValueTask<DeliveryState> TransferAsync(AmqpSender link, List<Parcel> messages, CancellationToken cancel)
    {
        if (messages is [var only])
            return link.SendAsync(only.Payload, messageFormat: 0, settled: false, OnLeft, cancel);

        using var writer = new AmqpWriter();
        Batch.Write(writer, messages);
        return link.SendAsync(writer.ToArray(), Batch.Format, settled: false, OnLeft, cancel);

        void OnLeft() => Mark(messages, mayHaveArrived: true);
    }

    // One of them may be to blame for all: each is to have an answer of its own.
    private async ValueTask SendOneByOneAsync(List<Parcel> messages)
    {
        foreach (var message in messages)
        {
            if (message.IsHeldBack())
                continue;

            try
            {
                await SendAsync(await _link.OpenAsync().ConfigureAwait(false), [message]).ConfigureAwait(false);
            }
            catch (Exception problem)
            {
                Fail(message, problem);
            }
        }
    }

    // That it was closed is nobody's trouble, and trying again does not help.
    private Exception Told(Exception problem, bool mayHaveArrived)
    {
        if (problem is ObjectDisposedException)
            return problem;
        if (_isClosed && problem is OperationCanceledException)
            return new ObjectDisposedException(GetType().FullName);
        var told = _dialer.Problems.Of(problem, _entity);
        return mayHaveArrived ? told : told.Unsent();
    }

    private async Task<AmqpSender> OpenLinkAsync(AmqpSender? over)
    {
        // A link that the broker has detached leaves its session behind, and a connection has only so many.
        _ = over?.Session.LeaveAsync(_dialer.Time);
        ObjectDisposedException.ThrowIf(_isClosed, this);
        var line = await _dialer.OpenAsync(_closing.Token).ConfigureAwait(false);
        try
        {
            return await line.OpenSenderAsync(
                _entity,
                new SenderOptions { Target = new Target { Address = _entity.Path }, SettleMode = SenderSettleMode.Unsettled },
                _closing.Token).ConfigureAwait(false);
        }
        catch (Exception problem) when (problem is not OperationCanceledException || !_isClosed)
        {
            throw _dialer.Problems.Of(problem, _entity);
        }
    }
}
