namespace Holdfast.Consumer;

/// <summary>
/// Remembers which messages were handled, for an engine or a process that comes after this one: a message whose handler had completed, but whose settlement
/// the broker never heard of, is settled when it comes again, and not handled again. Called from handlers' threads, which it must not block.
/// It hears of no broker: engines that share one take messages of one broker.
/// </summary>
public interface IIdempotencyStore
{
    /// <summary>
    /// Returns once it is kept that the message was handled. Asked after each handler that completed, before its message is settled, and above all where that
    /// can't be any more. What is not answered within 5 s is done without.
    /// </summary>
    /// <param name="queue">The queue that it came from.</param>
    /// <param name="key">
    /// By what it is known again, compared letter by letter: its id, a space, and what tells it from others under that id (when it was first enqueued, and a hash of its body).
    /// </param>
    /// <param name="cancel">Nobody waits for it any more.</param>
    ValueTask RememberAsync(string queue, string key, CancellationToken cancel);

    /// <summary>
    /// Whether a message was handled. Asked only of messages that the broker delivers again, or may, as those of a session; what is not answered within 5 s is no.
    /// </summary>
    /// <inheritdoc cref="RememberAsync" path="/param"/>
    ValueTask<bool> ContainsAsync(string queue, string key, CancellationToken cancel);
}
