using System.Runtime.CompilerServices;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>What a person asks of Service Bus, on a connection of its own.</summary>
public sealed class ServiceBusDesk : IBrokerDesk
{
    // As many as one answer may hold without growing beyond a frame or two.
    private const int PageSize = 100;

    private readonly ServiceBusBroker _broker;
    private readonly ServiceBusBrokerOptions _options;

    /// <exception cref="FormatException">The connection string can't be read.</exception>
    public ServiceBusDesk(ServiceBusBrokerOptions options)
    {
        _options = options;
        _broker = new ServiceBusBroker(options);
    }

    public bool SeesHeld => true;

    public string DeadLettersOf(string queue) => EntityName.DeadLettersOf(queue);

    /// <summary>To a subscription or to dead letters nobody can send, and the key in a connection string may be for one entity only.</summary>
    public void ThrowIfNoTarget(string target)
    {
        var entity = _broker.Entity(target);
        entity.ThrowIfNotSendable(Instead(entity));
    }

    /// <summary>The broker shows messages without handing them out: no lock, no count changes.</summary>
    public async IAsyncEnumerable<QueuedMessage> LookAsync(string queue, int? most, [EnumeratorCancellation] CancellationToken cancel)
    {
        await foreach (var (number, message) in PeekAsync(_broker.Node(queue), most ?? int.MaxValue, cancel).ConfigureAwait(false))
            yield return Letter.Queued(message, number);
    }

    /// <summary>A dead letter has the number that it was given when it was sent: so which of them were there before the others can only be told by looking at all.</summary>
    public async ValueTask<ISweep> SweepAsync(string queue, string? target, Func<Message, string?> keyOf, double? rate, int? most, CancellationToken cancel)
    {
        var outbox = target is null ? null : await _broker.OpenOutboxAsync(target, cancel).ConfigureAwait(false);
        IReceiver? receiver = null;
        try
        {
            receiver = await _broker.OpenReceiverAsync(queue, cancel).ConfigureAwait(false);
            var (node, there, deferred, scheduled) = (_broker.Node(queue), new HashSet<long>(), 0L, 0L);
            await foreach (var (number, message) in PeekAsync(node, int.MaxValue, cancel).ConfigureAwait(false))
            {
                switch (Letter.State(message))
                {
                    case QueuedState.Deferred:
                        deferred++;
                        break;
                    case QueuedState.Scheduled:
                        scheduled++;
                        break;
                    default:
                        there.Add(number);
                        break;
                }
            }

            return new Sweep(receiver, outbox, node, keyOf, there, most, _options.TimeProvider) { Deferred = deferred, Scheduled = scheduled };
        }
        catch (Exception)
        {
            if (receiver is not null)
                await receiver.DisposeAsync().ConfigureAwait(false);
            if (outbox is not null)
                await outbox.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public IAsyncEnumerable<Finding> CheckAsync(string queue, int maxDeliveries, CancellationToken cancel) =>
        new Inspection(_broker, queue, _options.Sessions, maxDeliveries).RunAsync(cancel);

    public ValueTask DisposeAsync() => _broker.DisposeAsync();

    private static string Instead(EntityName entity) => entity.IsOfSubscription
        ? $"send to its topic, --to {entity.Owner}, and all of the topic's subscriptions will get it."
        : $"send to the queue that it belongs to, --to {entity.Owner}.";

    // It comes in the order of its numbers, and so of its sending.
    private async IAsyncEnumerable<(long Number, AmqpMessage Message)> PeekAsync(ManagementNode node, int most, [EnumeratorCancellation] CancellationToken cancel)
    {
        var (begunAt, next, left) = (_options.TimeProvider.GetUtcNow(), 0L, most);
        while (left > 0)
        {
            var asked = Math.Min(left, PageSize);
            var page = await node.PeekAsync(next, asked, cancel).ConfigureAwait(false);
            await Hop.ToPool();
            foreach (var message in page)
            {
                var number = Letter.SequenceNumber(message) ?? next;
                yield return (number, message);
                (next, left) = (number + 1, left - 1);
            }

            if (PageEnd.Next(page, asked, next, begunAt) is not { } on)
                yield break;
            next = on;
        }
    }
}
