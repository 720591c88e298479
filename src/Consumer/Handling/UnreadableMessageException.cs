namespace Holdfast.Consumer;

/// <summary>
/// The message is not what its handler takes, and no new try would change that: it becomes a dead letter at once, with the reason "unreadable". Typed handlers
/// have it thrown for them; one that reads its messages itself throws it.
/// </summary>
/// <param name="message">What is wrong with it, and where.</param>
/// <param name="cause">The exception that said so.</param>
public sealed class UnreadableMessageException(string message, Exception? cause = null) : Exception(message, cause);
