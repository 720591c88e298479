using System.Collections.Concurrent;

namespace Holdfast.Broker.RabbitMq;

/// <summary>How long the server lets each queue's deliveries stay unacknowledged: as its management API says, where there is one to ask.</summary>
internal sealed class HoldLimits(RabbitMqBrokerOptions options, ServerAddress address) : IDisposable
{
    private readonly ManagementApi? _management = options.ManagementUri is { } uri ? new(ManagementAddress.Parse(uri)) : null;
    private readonly ConcurrentDictionary<string, TimeSpan> _known = new(StringComparer.Ordinal);

    /// <exception cref="BrokerException">The management API does not tell, and never has.</exception>
    public async ValueTask<TimeSpan> OfAsync(string queue, CancellationToken cancel)
    {
        if (_management is null)
            return options.ConsumerTimeout;

        try
        {
            return _known[queue] = await _management.ConsumerTimeoutAsync(address.VirtualHost, queue, cancel).ConfigureAwait(false) ?? options.ConsumerTimeout;
        }
        catch (BrokerException) when (_known.ContainsKey(queue))
        {
            // It was told before, and to consume does not need the management API.
            return _known[queue];
        }
    }

    public void Dispose() => _management?.Dispose();
}
