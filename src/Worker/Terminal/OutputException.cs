namespace Holdfast.Worker.Terminal;

/// <summary>What was found or done can't be told, for standard output takes nothing; that says nothing of how it went.</summary>
internal sealed class OutputException(Exception cause) : Exception($"Standard output can't be written: {cause.GetBaseException().Message}", cause);
