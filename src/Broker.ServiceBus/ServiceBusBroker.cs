using System.Collections.Concurrent;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Azure Service Bus, or a broker that speaks like it, over AMQP 1.0.</summary>
public sealed class ServiceBusBroker : IBroker
{
    private readonly ConcurrentDictionary<IReceiver, bool> _receivers = new();
    private readonly ServiceBusBrokerOptions _options;
    private readonly BrokerClock _clock;
    private readonly Dialer _dialer;
    private readonly ITokenSource _tokens;
    private readonly string? _entityPath;

    /// <exception cref="FormatException">The connection string, or the namespace, can't be read.</exception>
    /// <exception cref="ArgumentException">Another option is missing, or can't be as it is.</exception>
    public ServiceBusBroker(ServiceBusBrokerOptions options)
    {
        _options = options;
        _clock = new BrokerClock(options.TimeProvider);
        (var address, _tokens) = Identify(options, out _entityPath);
        _dialer = new Dialer(options, address, _tokens, new Problems(address, _tokens));
    }

    public string System => "servicebus";

    public TimeProvider Time => _options.TimeProvider;

    public async ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel)
    {
        var entity = Entity(queue);
        try
        {
            var receiver = await OpenAsync(queue, entity, cancel).ConfigureAwait(false);
            _receivers[receiver] = true;
            return receiver;
        }
        finally
        {
            await Hop.ToPool();
        }
    }

    public async ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel)
    {
        try
        {
            return new ServiceBusSender(await OpenOutboxAsync(queue, cancel).ConfigureAwait(false), _clock);
        }
        finally
        {
            await Hop.ToPool();
        }
    }

    /// <summary>Ends all waits and the connection. What was not settled comes again when its lock ends.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (var receiver in _receivers.Keys)
            await receiver.DisposeAsync().ConfigureAwait(false);
        await _dialer.DisposeAsync().ConfigureAwait(false);
        await Hop.ToPool();
    }

    /// <summary>When the broker lets us in no longer, where nothing of ours can change that.</summary>
    internal DateTimeOffset? EndsAt => _tokens.EndsAt;

    /// <summary>What can be asked about an entity beside receiving and sending.</summary>
    internal ManagementNode Node(string queue) => new(_dialer, Entity(queue), _options);

    /// <exception cref="BrokerException">It is no name of an entity, or of one that we have no key for.</exception>
    internal EntityName Entity(string queue) => EntityName.Parse(queue, _entityPath);

    /// <summary>Whether messages of it are had by sessions alone.</summary>
    /// <exception cref="BrokerException">It can't be received from for another reason.</exception>
    internal async ValueTask<bool> RequiresSessionsAsync(string queue, CancellationToken cancel)
    {
        await using var receiver = new ServiceBusReceiver(queue, Entity(queue), _dialer, _clock, _options, Forget);
        try
        {
            await receiver.OpenAsync(cancel).ConfigureAwait(false);
            return false;
        }
        catch (BrokerException refused) when (Refusal.Of(refused).IsOfSessions)
        {
            return true;
        }
    }

    /// <summary>Where messages are sent that are not made from nothing.</summary>
    /// <exception cref="BrokerException">Nothing can be sent there.</exception>
    internal async ValueTask<Outbox> OpenOutboxAsync(string queue, CancellationToken cancel)
    {
        var entity = Entity(queue);
        entity.ThrowIfNotSendable();
        var outbox = new Outbox(_dialer, entity, _options.OperationTimeout);
        return await OpenedAsync(outbox, outbox.OpenAsync(cancel)).ConfigureAwait(false);
    }

    /// <summary>Where the namespace is, and who we are there. Whichever client connects begins with this, so options that can't be are refused here.</summary>
    internal static (NamespaceAddress Address, ITokenSource Tokens) Identify(ServiceBusBrokerOptions options, out string? entityPath)
    {
        OptionRules.Check(options);
        if (options.ConnectionString is { } text)
        {
            var settings = SettingText.Read(OptionRules.Connection, text, ConnectionText.Parse);
            entityPath = settings.EntityPath;
            return (settings.Address, settings.Key is { } key ? new KeyTokens(key, options.TimeProvider) : new SignedToken(settings.Signature!, options.TimeProvider));
        }

        entityPath = null;
        if (options.FullyQualifiedNamespace is not { } host || options.Credential is not { } credential)
            throw new ArgumentException("Either a connection string, or a namespace and a credential, says where Service Bus is and who we are.", nameof(options));
        var address = SettingText.Read(OptionRules.Namespace, host, NamespaceAddress.OfHost);
        return (address, new IdentityTokens(credential, address, options.OperationTimeout, options.TimeProvider));
    }

    private async ValueTask<IReceiver> OpenAsync(string queue, EntityName entity, CancellationToken cancel)
    {
        // Dead letters lie in no session, whatever they came from.
        var takesSessions = entity.IsSubqueue ? false : _options.Sessions;
        if (takesSessions != true)
        {
            var receiver = new ServiceBusReceiver(queue, entity, _dialer, _clock, _options, Forget);
            try
            {
                return await OpenedAsync(receiver, receiver.OpenAsync(cancel)).ConfigureAwait(false);
            }
            catch (BrokerException refused) when (takesSessions is null && Refusal.Of(refused).IsOfSessions)
            {
                // So it is found out.
            }
        }

        var sessions = new SessionReceiver(queue, entity, _dialer, _clock, _options, Forget);
        return await OpenedAsync(sessions, sessions.OpenAsync(cancel)).ConfigureAwait(false);
    }

    private static async ValueTask<T> OpenedAsync<T>(T made, ValueTask opening)
        where T : IAsyncDisposable
    {
        try
        {
            await opening.ConfigureAwait(false);
            return made;
        }
        catch (Exception)
        {
            await made.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    // A receiver was closed by whoever opened it.
    private void Forget(IReceiver receiver) => _receivers.TryRemove(receiver, out _);
}
