namespace Holdfast.Lab;

/// <summary>A part's process did not bring back what it was started for.</summary>
internal sealed class PartFailedException(string message) : Exception(message);
