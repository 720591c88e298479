using System.Collections.Concurrent;
using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>Azure Service Bus through Microsoft's own client, with the settings of ours. All that it does completes on the thread pool.</summary>
public sealed class ServiceBusSdkBroker : IBroker
{
    private readonly ConcurrentDictionary<IReceiver, bool> _receivers = new();
    private readonly ServiceBusBrokerOptions _options;
    private readonly BrokerClock _clock;
    private readonly Problems _problems;
    private readonly Clients _clients;
    private readonly Lazy<Sdk.ServiceBusClient> _sending;
    private readonly string? _entityPath;

    /// <exception cref="FormatException">The connection string can't be read.</exception>
    public ServiceBusSdkBroker(ServiceBusBrokerOptions options)
    {
        var (address, tokens) = ServiceBusBroker.Identify(options, out _entityPath);
        _options = options;
        _clock = new BrokerClock(options.TimeProvider);
        _problems = new Problems(address, tokens);
        _clients = new Clients(options);
        _sending = new Lazy<Sdk.ServiceBusClient>(_clients.New);
    }

    public string System => "servicebus";

    public TimeProvider Time => _options.TimeProvider;

    public async ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel)
    {
        var calls = CallsFor(queue);

        // Dead letters lie in no session, whatever they came from. The client does not tell before it receives whether others do.
        if (_options.Sessions == true && !calls.Entity.IsSubqueue)
        {
            var sessions = new SdkSessionReceiver(queue, calls, _clients, _clock, _options, Forget);
            return await OpenedAsync(sessions, sessions.OpenAsync(cancel)).ConfigureAwait(false);
        }

        var receiver = new SdkReceiver(queue, calls, _clients.New(), _clock, _options.TimeProvider, Forget);
        return await OpenedAsync(receiver, receiver.OpenAsync(cancel)).ConfigureAwait(false);
    }

    public async ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel)
    {
        var calls = CallsFor(queue);
        calls.Entity.ThrowIfNotSendable();
        var sender = new SdkSender(_sending.Value.CreateSender(calls.Entity.Path), calls, _clock);
        try
        {
            await sender.OpenAsync(cancel).ConfigureAwait(false);
            return sender;
        }
        catch (Exception)
        {
            await sender.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Ends all waits and connections. What was not settled comes again when its lock ends.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (var receiver in _receivers.Keys)
            await receiver.DisposeAsync().ConfigureAwait(false);
        if (_sending.IsValueCreated)
            await _sending.Value.DisposeAsync().ConfigureAwait(false);
    }

    private async ValueTask<IReceiver> OpenedAsync(IReceiver receiver, Task opening)
    {
        _receivers[receiver] = true;
        try
        {
            await opening.ConfigureAwait(false);
            return receiver;
        }
        catch (Exception)
        {
            await receiver.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private Calls CallsFor(string queue) => new(_problems, EntityName.Parse(queue, _entityPath), _options);

    // A receiver was closed by whoever opened it.
    private void Forget(IReceiver receiver) => _receivers.TryRemove(receiver, out _);
}
