using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>A session that is ours, on a connection of its own: it is given back with that. Any thread.</summary>
internal sealed class SdkSession : Session, ISessionLock
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    private readonly Sdk.ServiceBusClient _client;
    private readonly Calls _calls;
    private readonly BrokerClock _clock;
    private readonly TimeProvider _time;
    private readonly long _takenAt;
    private LockLength _lock;
    private long _lockedAt;
    private long _idleSince;

    private SdkSession(Sdk.ServiceBusClient client, Sdk.ServiceBusSessionReceiver receiver, Calls calls, BrokerClock clock, TimeProvider time)
    {
        (_client, Receiver, _calls, _clock, _time) = (client, receiver, calls, clock, time);

        // Not from when it was asked for: the broker may have kept us waiting for long before it gave us the lock.
        _idleSince = time.GetTimestamp();
        _lock = new(clock.Until(receiver.SessionLockedUntil, _idleSince));
        _lockedAt = _takenAt = _idleSince;
        Term = receiver.SessionLockedUntil.ToUnixTimeMilliseconds();
    }

    public override string Id => Receiver.SessionId;

    public Sdk.ServiceBusSessionReceiver Receiver { get; }

    public long Term { get; }

    public long LockedAt => Volatile.Read(ref _lockedAt);

    public TimeSpan LockDuration => _lock.Now;

    /// <summary>How much of its lock has passed, from 0 to 1.</summary>
    public double PartPassed => _time.GetElapsedTime(LockedAt) / LockDuration;

    public TimeSpan HeldFor => _time.GetElapsedTime(_takenAt);

    public TimeSpan IdleFor => _time.GetElapsedTime(Volatile.Read(ref _idleSince));

    /// <summary>Takes the session that the options name, or any that is free; null where it was called off, or none was free in time.</summary>
    public static async Task<SdkSession?> AcceptAsync(Clients clients, Calls calls, BrokerClock clock, ServiceBusBrokerOptions options, CancellationToken cancel)
    {
        var client = clients.New();
        try
        {
            var terms = new Sdk.ServiceBusSessionReceiverOptions();
            var accepting = options.SessionId is { } name
                ? client.AcceptSessionAsync(calls.Entity.Path, name, terms, cancel)
                : client.AcceptNextSessionAsync(calls.Entity.Path, terms, cancel);
            return new SdkSession(client, await accepting.ConfigureAwait(false), calls, clock, options.TimeProvider);
        }
        catch (Exception problem)
        {
            await client.DisposeAsync().ConfigureAwait(false);
            if (problem is OperationCanceledException or Sdk.ServiceBusException { Reason: Sdk.ServiceBusFailureReason.ServiceTimeout })
                return null;
            throw;
        }
    }

    /// <summary>Its message that is in hand; the next one comes when that is settled.</summary>
    public SdkDelivery? Current { get; set; }

    /// <summary>Its next message, once it was asked for; null where none came in a while.</summary>
    public Task<SdkDelivery?>? Next { get; set; }

    public Task<SdkDelivery?> AskNext(SdkLetter letter, SdkSettler settler) => Next ??= FetchAsync(letter, settler);

    /// <summary>Nothing of it is in hand any more.</summary>
    public void Rest()
    {
        Volatile.Write(ref _idleSince, _time.GetTimestamp());
        Current = null;
    }

    /// <summary>False where it is lost.</summary>
    /// <exception cref="BrokerException">The broker failed; what became of it is unknown.</exception>
    public async Task<bool> RenewAsync(CancellationToken cancel)
    {
        var askedAt = _time.GetTimestamp();
        if (!await _calls.HoldsAsync("renew-session-lock", () => Receiver.RenewSessionLockAsync(cancel), cancel).ConfigureAwait(false))
            return false;
        _lock.Renewed(_clock, askedAt, Receiver.SessionLockedUntil);
        Volatile.Write(ref _lockedAt, askedAt);
        return true;
    }

    public override async ValueTask<ReadOnlyMemory<byte>?> GetStateAsync(CancellationToken cancel)
    {
        var state = await _calls.AskAsync("get-session-state", () => Receiver.GetSessionStateAsync(cancel), cancel).ConfigureAwait(false);
        return state?.ToMemory();
    }

    public override async ValueTask SetStateAsync(ReadOnlyMemory<byte>? state, CancellationToken cancel)
    {
        var kept = state is { } bytes ? new BinaryData(bytes) : null;
        await _calls.AskAsync("set-session-state", () => Receiver.SetSessionStateAsync(kept!, cancel), cancel).ConfigureAwait(false);
    }

    /// <summary>Gives the session back.</summary>
    public ValueTask CloseAsync() => _client.DisposeAsync();

    private async Task<SdkDelivery?> FetchAsync(SdkLetter letter, SdkSettler settler)
    {
        var messages = await Receiver.ReceiveMessagesAsync(1, s_patience, CancellationToken.None).ConfigureAwait(false);
        if (messages.Count == 0)
            return null;
        if (letter.TryRead(messages[0], this, out var delivery))
            return delivery;
        await settler.PutAsideAsync(Receiver, messages[0]).ConfigureAwait(false);
        return null;
    }
}
