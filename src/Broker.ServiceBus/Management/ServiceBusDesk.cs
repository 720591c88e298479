using System.Runtime.CompilerServices;

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

    public string DeadLettersOf(string queue) => EntityName.DeadLettersOf(queue);

    /// <summary>The broker shows messages without handing them out: no lock, no count changes.</summary>
    public async IAsyncEnumerable<QueuedMessage> LookAsync(string queue, int? most, [EnumeratorCancellation] CancellationToken cancel)
    {
        var desk = _broker.Desk(queue);
        var (next, left) = (0L, most ?? int.MaxValue);
        while (left > 0)
        {
            var page = await desk.PeekAsync(next, Math.Min(left, PageSize), session: null, cancel).ConfigureAwait(false);
            await Hop.ToPool();
            foreach (var message in page)
            {
                var number = Letter.SequenceNumber(message) ?? next;
                yield return Letter.Queued(message, number);
                (next, left) = (number + 1, left - 1);
            }

            if (page.Count == 0)
                yield break;
        }
    }

    public async ValueTask<ISweep> SweepAsync(string queue, string? target, Func<Message, string?> keyOf, CancellationToken cancel)
    {
        var outbox = target is null ? null : await _broker.OpenOutboxAsync(target, cancel).ConfigureAwait(false);
        try
        {
            var receiver = await _broker.OpenReceiverAsync(queue, cancel).ConfigureAwait(false);
            return new Sweep(receiver, outbox, _broker.Desk(queue), _options.TimeProvider);
        }
        catch (Exception)
        {
            if (outbox is not null)
                await outbox.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public IAsyncEnumerable<Finding> CheckAsync(string queue, int maxDeliveries, CancellationToken cancel) =>
        new Inspection(_broker, queue, maxDeliveries).RunAsync(cancel);

    public ValueTask DisposeAsync() => _broker.DisposeAsync();
}
