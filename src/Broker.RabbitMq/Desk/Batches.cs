using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// The messages that leave a queue, batch by batch. A batch is of one window, and a transaction of its channel: the copies set out for their queue, and the
/// originals go. Where nobody can know what has become of one, it says so.
/// </summary>
internal sealed class Batches(IConnection connection, string queue, string? target, TimeProvider time, Func<Exception, BrokerException> explain)
{
    private const int Most = 500;

    // What the server calls a transaction that a queue would not take all of. It ends a channel with the same code for other reasons too.
    private const string Refusal = "partial tx completion";

    // Most commits take a fraction of a second, and those of a server that is very busy some.
    internal static readonly TimeSpan ToCommit = TimeSpan.FromMinutes(1);

    private readonly List<Leaving> _next = [];

    /// <summary>How many have left for good.</summary>
    public long Committed { get; private set; }

    /// <summary>By whose channel the next batch goes; null where none is to go.</summary>
    public Window? Window => _next is [{ Message.Window: var window }, ..] ? window : null;

    /// <summary>Whether it can still be of the next batch.</summary>
    public bool HaveRoomFor(SweptMessage message) => Window is not { } window || (_next.Count < Most && window == message.Window);

    /// <summary>It leaves with the next batch; with a copy, and the queue that this sets out by, where it goes somewhere.</summary>
    public void Add(SweptMessage message, BasicProperties? copy, string? by) => _next.Add(new(message, copy, by));

    /// <summary>Tells the server of the next batch: until the commit nothing comes of that.</summary>
    public async Task AnnounceAsync(Window window, CancellationToken cancel)
    {
        foreach (var (message, copy, by) in _next)
        {
            if (copy is not null)
                await window.Channel.BasicPublishAsync("", by!, mandatory: true, copy, message.Message.Body, cancel).ConfigureAwait(false);
            await window.Channel.BasicAckAsync(message.Tag, multiple: false, cancel).ConfigureAwait(false);
        }
    }

    /// <summary>Commits the batch that was announced. From here on it is the server's: to call it off would leave nobody knowing.</summary>
    /// <exception cref="BrokerException">It was not committed, or nobody knows; and which of the two.</exception>
    public async Task CommitAsync(Window window)
    {
        // Whatever comes of it: to say it again would send the copies twice.
        var batch = _next.ToArray();
        _next.Clear();
        try
        {
            await window.Channel.TxCommitAsync(CancellationToken.None).WithinAsync(ToCommit, time, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception e) when (window.Channel.CloseReason is { Initiator: ShutdownInitiator.Peer, ReplyCode: Constants.PreconditionFailed, ReplyText: var why } && why.Contains(Refusal, StringComparison.Ordinal))
        {
            var refused = $"One of the queues by which they go to '{target}', named '{target}.replay.track.1' and so on, refused part of a batch: does a policy limit its length?";
            await PutBackAsync(batch, refused).ConfigureAwait(false);
            throw new BrokerException(
                $"{refused} All {batch.Length} of it were put back into '{queue}'; some of them may be in '{target}' too. Look for them before sending again.",
                isTransient: false,
                e);
        }
        catch (Exception e)
        {
            var problem = explain(e);
            throw new BrokerException($"{problem.Message} The server was told to commit a batch of {batch.Length} messages and has not answered: {Doubt("either all of it or none")}", problem.IsTransient, problem);
        }

        if (window.Gone is { Count: > 0 } gone)
        {
            var unsent = Array.FindAll(batch, leaving => gone.Contains(leaving.By!));
            Committed += batch.Length - unsent.Length;
            var missing = $"The queue '{gone.First()}', by which they go to '{target}', is gone.";
            await PutBackAsync(unsent, missing).ConfigureAwait(false);
            throw new BrokerException($"{missing} What could not be sent there, {unsent.Length} messages, was put back into '{queue}'.", isTransient: false);
        }

        // A queue that crashed before it heard of the commit has the originals still.
        if (window.End is { } end)
            throw new BrokerException($"{explain(end).Message} A batch of {batch.Length} messages was being committed: {Doubt("some of it or all")}", isTransient: true, end);

        Committed += batch.Length;
        window.Left(batch.Length);
    }

    private string Doubt(string whatHasLeft) => target is null
        ? $"{whatHasLeft} has left '{queue}'. Look there before trying again."
        : $"{whatHasLeft} has left '{queue}', and what has not may be in '{target}' all the same. Look in both before sending again.";

    // The server forgets the originals even where it had no place for a copy. Rather twice than never; and what may be never is told.
    private async Task PutBackAsync(Leaving[] messages, string why)
    {
        var back = new PutBack(connection, queue);
        try
        {
            await back.SendAsync(messages.Select(leaving => leaving.Message)).WithinAsync(ToCommit, time, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception) when (back.Confirmed == messages.Length)
        {
            // All are there, and only the channel's farewell failed.
        }
        catch (Exception e)
        {
            var problem = explain(e);
            throw new BrokerException(
                $"{why} {messages.Length} messages were to be put back into '{queue}': {back.Confirmed} were, and {messages.Length - back.Confirmed} may be lost, unless they are there or in '{target}' all the same. Look in both before sending again. {problem.Message}",
                isTransient: false,
                problem);
        }
    }

    private sealed record Leaving(SweptMessage Message, BasicProperties? Copy, string? By);
}
