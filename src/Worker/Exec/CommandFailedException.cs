namespace Holdfast.Worker.Exec;

/// <summary>A command did not do what it was asked to: its message is tried again, as the queue's policy says.</summary>
internal sealed class CommandFailedException(string message) : Exception(message);
