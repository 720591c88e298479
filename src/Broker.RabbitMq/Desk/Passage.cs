using System.Security.Cryptography;
using System.Text;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// The way by which copies come to their queue although nobody waits until they are there: tracks side by side, each of two queues that pass on what comes to them.
/// A quorum queue forgets what it has not yet written when the channel that sent it ends, and a transaction is no help: the originals are gone by then.
/// A classic queue takes all of it, but hands it on without asking whether it was taken; so it hands it to a quorum queue of ours, which always takes it,
/// and keeps each message until the target has it. Earlier versions' tracks were named {target}.replay, {target}.replay.2 and so on, and led to queues whose
/// leaders moved: those can't be changed, hand on what they hold, and stay empty.
/// </summary>
internal sealed class Passage(string target)
{
    // Such a quorum queue has 32 messages on their way at once, unless the server's configuration says otherwise.
    private const int Tracks = 4;

    private int _last;

    /// <summary>Makes sure of it, and of the queue that it leads to.</summary>
    public async Task OpenAsync(IConnection connection, Questions questions, CancellationToken cancel)
    {
        await questions.LookAsync(connection, target, cancel).ConfigureAwait(false);
        for (var track = 0; track < Tracks; track++)
        {
            var (first, last) = (NameOf(track), $"{NameOf(track)}.sure");
            await DeclareAsync(last, QueueArguments.OfPassageEnd(target)).ConfigureAwait(false);
            await DeclareAsync(first, QueueArguments.OfWait(last, TimeSpan.Zero, QueueType.Classic)).ConfigureAwait(false);
        }

        Task DeclareAsync(string queue, Dictionary<string, object?> arguments) =>
            questions.AskAsync(connection, queue, channel => channel.DeclareAsync(queue, arguments), cancel);
    }

    /// <summary>The queue to send a message to: for one key always the same, and without one the next in turn.</summary>
    public string QueueFor(string? key)
    {
        _last = (_last + 1) % Tracks;
        return NameOf(key is null ? _last : TrackOf(key));
    }

    // In every process the same: what an earlier replay left under way stays before what a later one sends.
    private static int TrackOf(string key) => SHA256.HashData(Encoding.UTF8.GetBytes(key))[0] % Tracks;

    private string NameOf(int track) => $"{target}.replay.track.{track + 1}";
}
