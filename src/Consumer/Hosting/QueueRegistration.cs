using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>A queue that the host wants consumed: how, and by whom.</summary>
internal sealed record QueueRegistration(
    string Queue,
    QueueOptions Options,
    Func<IServiceProvider, Func<HeldMessage, CancellationToken, ValueTask<Settlement>>> Handler);
