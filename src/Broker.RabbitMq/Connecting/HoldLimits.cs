using System.Collections.Concurrent;

namespace Holdfast.Broker.RabbitMq;

/// <summary>How long the server lets each queue's deliveries stay unacknowledged: as its management API says, where there is one to ask.</summary>
internal sealed class HoldLimits(ManagementApi? management, string virtualHost, TimeSpan otherwise) : IDisposable
{
    private readonly ConcurrentDictionary<string, TimeSpan> _known = new(StringComparer.Ordinal);

    /// <exception cref="BrokerException">The management API does not tell, and never has; or no worker can work this queue off.</exception>
    public async ValueTask<TimeSpan> OfAsync(string queue, CancellationToken cancel)
    {
        if (management is null)
            return otherwise;

        QueueReport report;
        try
        {
            report = await management.ReportAsync(virtualHost, queue, cancel).ConfigureAwait(false);
        }
        catch (BrokerException) when (_known.TryGetValue(queue, out var known))
        {
            // It was told before, and to consume does not need the management API.
            return known;
        }

        // Also one that was made anew as that.
        if (report.IsStream)
            throw new BrokerException(Problems.IsStream(queue), isTransient: false);
        if (report.IsAutoDelete)
            throw new BrokerException(Problems.IsAutoDelete(queue), isTransient: false);

        // What a policy set before it may set still.
        if (!report.TellsPolicy && _known.TryGetValue(queue, out var before))
            return report.ConsumerTimeout < before ? report.ConsumerTimeout.Value : before;
        return _known[queue] = report.ConsumerTimeout ?? otherwise;
    }

    public void Dispose() => management?.Dispose();
}
