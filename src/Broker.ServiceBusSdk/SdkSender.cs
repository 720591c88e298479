using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>A queue or topic, open for sending, on the connection that all of a broker's senders share.</summary>
internal sealed class SdkSender(Sdk.ServiceBusSender sender, Calls calls, BrokerClock clock) : ISender
{
    private bool _isClosed;

    /// <exception cref="BrokerException">It can't be sent to.</exception>
    public async Task OpenAsync(CancellationToken cancel) =>
        // A batch asks the broker how large it may be: so whether there is such an entity, and whether we may send to it, shows now.
        await calls.AskAsync("attach", async () => await sender.CreateMessageBatchAsync(cancel).ConfigureAwait(false), cancel).ConfigureAwait(false);

    public async ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
    {
        ObjectDisposedException.ThrowIf(_isClosed, this);
        var sent = SdkEnvelope.Of(message);
        if (delay > TimeSpan.Zero)
            sent.ScheduledEnqueueTime = clock.After(delay);
        await calls.AskAsync("send", () => sender.SendMessageAsync(sent, cancel), cancel).ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        _isClosed = true;
        await sender.DisposeAsync().ConfigureAwait(false);
    }
}
