using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Sends messages to one entity. What is handed over while a transfer is under way waits for it, and then travels together. Any thread;
/// its loop goes on wherever the broker's answer arrives.
/// </summary>
internal sealed class Outbox(Dialer dialer, EntityName entity, TimeSpan patience) : IAsyncDisposable
{
    // What a namespace of the smallest tier takes, where the broker does not say.
    private const ulong LeastMaxMessageSize = 256 * 1024;

    private readonly Lock _gate = new();
    private readonly Queue<Parcel> _waiting = new();
    private Task<AmqpSender>? _link;
    private bool _isSending;
    private bool _isClosed;

    /// <summary>Makes sure that it can be sent to.</summary>
    /// <exception cref="BrokerException">It can't be.</exception>
    public async ValueTask OpenAsync(CancellationToken cancel) => await LinkAsync().WaitAsync(cancel).ConfigureAwait(false);

    /// <summary>Returns once the broker has it. Called off before it has left, it stays; after that, nobody knows.</summary>
    /// <exception cref="BrokerException">The broker refused it, or whether it has it is unknown.</exception>
    public async ValueTask SendAsync(AmqpMessage message, CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        var parcel = Parcel.Of(message);
        using var callOff = cancel.UnsafeRegister(static (state, token) => ((Parcel)state!).TrySetCanceled(token), parcel);
        if (IsFirst(parcel))
            _ = SendAllAsync();
        await parcel.Task.ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        Task<AmqpSender>? link;
        lock (_gate)
        {
            _isClosed = true;
            link = _link;
        }

        if (link is { IsCompletedSuccessfully: true, Result: { Failure: null } open })
            await open.Session.LeaveAsync(dialer.Time).ConfigureAwait(false);
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
                var link = await LinkAsync().ConfigureAwait(false);
                most = link.MaxMessageSize ?? LeastMaxMessageSize;
                await SendAsync(link, messages).ConfigureAwait(false);
            }
            catch (AmqpException refused) when (messages.Count > 1 && refused is { Level: AmqpLevel.Link, Condition.Value: Conditions.NotAllowed or Conditions.MessageTooLarge })
            {
                // It is the batch that the broker has ended the link for: nothing of it was taken.
                await SendOneByOneAsync(messages).ConfigureAwait(false);
            }
            catch (Exception problem)
            {
                foreach (var message in messages)
                    message.TrySetException(dialer.Problems.Of(problem, entity));
            }
        }
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
                ? dialer.Problems.Of(Refusal.Of(error), entity)
                : dialer.Problems.Nonsense(entity, $"a message that was sent ended as {outcome.GetType().Name}");
        }
    }

    // Called off when the patience ends: what waits for the broker to take it must not leave when its sender has long tried again.
    private async ValueTask<DeliveryState> InTimeAsync(AmqpSender link, List<Parcel> messages)
    {
        using var enough = new CancellationTokenSource(patience, dialer.Time);
        using var answer = link.Session.Connection.AwaitAnswer();
        try
        {
            return await TransferAsync(link, messages, enough.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (enough.IsCancellationRequested)
        {
            throw dialer.Problems.Silence(entity, "send", patience);
        }
    }

    private static ValueTask<DeliveryState> TransferAsync(AmqpSender link, List<Parcel> messages, CancellationToken cancel)
    {
        if (messages is [var only])
            return link.SendAsync(only.Payload, messageFormat: 0, settled: false, cancel);

        using var writer = new AmqpWriter();
        Batch.Write(writer, messages);
        return link.SendAsync(writer.ToArray(), Batch.Format, settled: false, cancel);
    }

    // One of them may be to blame for all: each is to have an answer of its own.
    private async ValueTask SendOneByOneAsync(List<Parcel> messages)
    {
        foreach (var message in messages)
        {
            try
            {
                await SendAsync(await LinkAsync().ConfigureAwait(false), [message]).ConfigureAwait(false);
            }
            catch (Exception problem)
            {
                message.TrySetException(dialer.Problems.Of(problem, entity));
            }
        }
    }

    private Task<AmqpSender> LinkAsync()
    {
        lock (_gate)
        {
            // A link that the broker has detached leaves its session behind.
            if (_link is { IsCompletedSuccessfully: true, Result: { Failure: not null, Session: { Failure: null } session } })
                _ = session.LeaveAsync(dialer.Time);
            if (_link is null || _link.IsFaulted || _link.IsCanceled || _link is { IsCompletedSuccessfully: true, Result.Failure: not null })
                _link = OpenLinkAsync();
            return _link;
        }
    }

    private async Task<AmqpSender> OpenLinkAsync()
    {
        var line = await dialer.OpenAsync(CancellationToken.None).ConfigureAwait(false);
        try
        {
            return await line.OpenSenderAsync(
                entity,
                new SenderOptions { Target = new Target { Address = entity.Path }, SettleMode = SenderSettleMode.Unsettled },
                CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception problem)
        {
            throw dialer.Problems.Of(problem, entity);
        }
    }
}
