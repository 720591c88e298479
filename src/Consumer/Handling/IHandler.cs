using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>Handles one message at a time of a queue, on the Process lane, in a service scope of each attempt's own.</summary>
public interface IHandler
{
    /// <summary>
    /// Handles a message and says how it ends. Throwing hands it to the queue's <see cref="RetryOptions"/>.
    /// <paramref name="cancel"/> tells that the lease was lost, or that the worker's time to drain is over: what is done after that is done twice.
    /// </summary>
    ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel);
}

/// <summary>Handles messages whose body is JSON for a <typeparamref name="T"/>.</summary>
public interface IHandler<in T>
{
    /// <inheritdoc cref="IHandler.HandleAsync"/>
    ValueTask<Settlement> HandleAsync(T body, HeldMessage message, CancellationToken cancel);
}
