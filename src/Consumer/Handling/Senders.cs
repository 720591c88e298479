using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>Sends to any queue of a broker. What it opens for that it keeps until it is disposed; a host disposes its own. Any thread.</summary>
public sealed class Senders(IBroker broker) : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Task<ISender>> _senders = new(StringComparer.Ordinal);

    /// <summary>Sends a message at once, and returns when the broker has taken it over; at the earliest after <paramref name="delay"/> is it delivered.</summary>
    /// <exception cref="BrokerException">The broker failed; whether it took the message over is unknown.</exception>
    public async ValueTask SendAsync(string queue, Message message, TimeSpan delay = default, CancellationToken cancel = default)
    {
        var sender = await Sender(queue).WaitAsync(cancel);
        await sender.SendAsync(message, delay, cancel);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var sender in _senders.Values.Where(opened => opened.IsCompletedSuccessfully))
            await (await sender).DisposeAsync();
    }

    // What could not be opened is opened anew. Who asks first may give up, and others still wait for it.
    private Task<ISender> Sender(string queue)
    {
        lock (_gate)
        {
            if (!_senders.TryGetValue(queue, out var sender) || sender.IsFaulted || sender.IsCanceled)
                _senders[queue] = sender = broker.OpenSenderAsync(queue, CancellationToken.None).AsTask();
            return sender;
        }
    }
}
