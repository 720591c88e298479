using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>All that the configuration says of one queue. Its handler, and the engine's part of it, are each given theirs.</summary>
internal sealed record QueueSettings(HandlingOptions Handling, QueueOptions Options, Action<QueueOptions> Apply);
