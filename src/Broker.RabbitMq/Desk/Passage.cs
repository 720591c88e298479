using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// The way by which copies come to their queue although nobody waits until they are there: two queues that pass on what comes to them.
/// A quorum queue forgets what it has not yet written when the channel that sent it ends, and a transaction is no help: the originals are gone by then.
/// A classic queue takes all of it, but hands it on without asking whether it was taken; so it hands it to a quorum queue of ours, which always takes it,
/// and keeps each message until the target has it.
/// </summary>
internal static class Passage
{
    /// <summary>Makes sure of it, and of the queue that it leads to.</summary>
    /// <returns>The queue to send to.</returns>
    public static async Task<string> OpenAsync(IChannel channel, string target, CancellationToken cancel)
    {
        var (first, last) = ($"{target}.replay", $"{target}.replay.sure");
        await channel.QueueDeclarePassiveAsync(target, cancel).ConfigureAwait(false);
        await DeclareAsync(last, target, QueueType.Quorum).ConfigureAwait(false);
        await DeclareAsync(first, last, QueueType.Classic).ConfigureAwait(false);
        return first;

        Task DeclareAsync(string queue, string to, QueueType type) =>
            channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, QueueArguments.OfWait(to, TimeSpan.Zero, type), cancellationToken: cancel);
    }
}
