namespace Holdfast.Worker.Http;

/// <summary>The endpoint did not take a message, and may take it another time. The message is one line for the person on call.</summary>
internal sealed class EndpointException(string message, Exception? cause = null) : Exception(message, cause);
