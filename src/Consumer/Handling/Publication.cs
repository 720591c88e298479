using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>A message that a handler wants sent: where to, and what is to pass before it is delivered.</summary>
public sealed record Publication(string Queue, Message Message, TimeSpan Delay);
