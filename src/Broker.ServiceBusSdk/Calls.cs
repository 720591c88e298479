using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>
/// Waits for what Microsoft's client is asked to do, for no longer than an answer may take, and tells its failures in the words of our own client.
/// It completes on the thread pool.
/// </summary>
internal sealed class Calls(Problems problems, EntityName entity, ServiceBusBrokerOptions options)
{
    // The client gives up by itself, and until then knows of no second settlement of the same message: whoever is not answered waits for that.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(2);

    private readonly TimeSpan _patience = options.OperationTimeout + s_grace;

    public EntityName Entity => entity;

    /// <exception cref="BrokerException">It failed, or there was no answer.</exception>
    public async Task AskAsync(string what, Func<Task> call, CancellationToken cancel)
    {
        try
        {
            await call().WaitAsync(_patience, options.TimeProvider, cancel).ConfigureAwait(false);
        }
        catch (Exception problem) when (problem is not OperationCanceledException || !cancel.IsCancellationRequested)
        {
            throw problem is TimeoutException ? problems.Silence(entity, what, _patience) : Told(problem);
        }
    }

    /// <inheritdoc cref="AskAsync(string, Func{Task}, CancellationToken)"/>
    public async Task<T> AskAsync<T>(string what, Func<Task<T>> call, CancellationToken cancel)
    {
        Task<T>? answer = null;
        await AskAsync(what, Call, cancel).ConfigureAwait(false);
        return await answer!.ConfigureAwait(false);

        Task Call() => answer = call();
    }

    /// <summary>The same for what needs a lock: false where that is lost.</summary>
    /// <exception cref="BrokerException">It failed, or there was no answer.</exception>
    public async Task<bool> HoldsAsync(string what, Func<Task> call, CancellationToken cancel)
    {
        try
        {
            await AskAsync(what, call, cancel).ConfigureAwait(false);
            return true;
        }
        catch (BrokerException problem) when (IsLost(problem.InnerException))
        {
            return false;
        }
    }

    public BrokerException Told(Exception problem) =>
        ConditionOf(problem) is { } condition ? problems.Of(new Refusal(condition, problem.Message), entity, problem) : problems.Of(problem, entity);

    /// <summary>What the broker said where it did not do what was asked; null where it said nothing of its own.</summary>
    public static Refusal? RefusalOf(BrokerException problem) =>
        problem.InnerException is { } cause && ConditionOf(cause) is { } condition ? new Refusal(condition, cause.Message) : null;

    public static bool IsLost(Exception? problem) =>
        problem is Sdk.ServiceBusException { Reason: Sdk.ServiceBusFailureReason.MessageLockLost or Sdk.ServiceBusFailureReason.SessionLockLost };

    // What breaks a connection has no condition.
    private static string? ConditionOf(Exception problem) => problem switch
    {
        Sdk.ServiceBusException { Reason: var reason } => ConditionOf(reason),
        UnauthorizedAccessException => Conditions.Unauthorized,
        ObjectDisposedException => null,

        // It refuses by itself what it can't do, and would again.
        InvalidOperationException or ArgumentException or NotSupportedException => Conditions.NotAllowed,
        _ => null,
    };

    private static string? ConditionOf(Sdk.ServiceBusFailureReason reason) => reason switch
    {
        Sdk.ServiceBusFailureReason.MessagingEntityNotFound => Conditions.NotFound,
        Sdk.ServiceBusFailureReason.MessagingEntityDisabled => Conditions.EntityDisabled,
        Sdk.ServiceBusFailureReason.MessageLockLost => Conditions.MessageLockLost,
        Sdk.ServiceBusFailureReason.SessionLockLost => Conditions.SessionLockLost,
        Sdk.ServiceBusFailureReason.SessionCannotBeLocked => Conditions.SessionCannotBeLocked,
        Sdk.ServiceBusFailureReason.MessageNotFound => Conditions.MessageNotFound,
        Sdk.ServiceBusFailureReason.MessageSizeExceeded => Conditions.MessageTooLarge,
        Sdk.ServiceBusFailureReason.QuotaExceeded => Conditions.ResourceLimit,
        Sdk.ServiceBusFailureReason.ServiceBusy => Conditions.ServerBusy,
        Sdk.ServiceBusFailureReason.ServiceTimeout => Conditions.Timeout,
        _ => null,
    };
}
