namespace Holdfast.Broker;

/// <summary>One queue, open for sending.</summary>
public interface ISender : IAsyncDisposable
{
    /// <summary>Sends a message, and returns once the broker has taken it over; at the earliest after <paramref name="delay"/> is it delivered.</summary>
    /// <exception cref="BrokerException">The broker failed; whether it took the message over is unknown, unless it says that it is unsent.</exception>
    ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel);
}
