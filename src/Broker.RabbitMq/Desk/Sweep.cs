using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// A pass over a queue in transactions: in each, the copies set out for their queue and the originals go. A client that dies before it has said "commit"
/// has done nothing, and one that dies after it has done all. What is not taken stays in windows, which fill up and are followed by further ones.
/// </summary>
internal sealed class Sweep(IConnection connection, Questions questions, RabbitMqBrokerOptions options, string queue, string? target, Func<Message, string?> keyOf, double? rate, int? most, Func<Exception, BrokerException> explain) : ISweep
{
    // So many bodies are here at most. The server allows some 2,000 channels to a connection: times this, that is how many messages may be passed over.
    private const int WindowSize = 2_000;
    private const int Batch = 500;

    // With a rate, what has been handed out and waits for its turn is held, too: so many seconds of it, and not an hour.
    private const int SecondsAhead = 2;

    // What the server calls a transaction that a queue would not take all of. It ends a channel with the same code for other reasons too.
    private const string Refusal = "partial tx completion";

    // Most commits take a fraction of a second, and those of a server that is very busy some.
    internal static readonly TimeSpan ToCommit = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_timeToClose = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_silence = TimeSpan.FromMilliseconds(300);

    private readonly List<Window> _windows = [];
    private readonly List<Taken> _taken = [];
    private readonly List<(string Id, string Why)> _unsent = [];
    private readonly Passage? _passage = target is null ? null : new(target);
    private readonly TimeProvider _time = options.TimeProvider;
    private readonly SizeLimit _sizes = new(connection, options.TimeProvider);
    private IDictionary<string, object?>? _arguments;
    private bool _isClassic;

    // Of those that were there when it began, and of those that are wanted.
    private long _left;
    private long _wanted = most ?? (long)uint.MaxValue;

    public long? Count { get; private set; }

    public long Committed { get; private set; }

    public IReadOnlyList<(string Id, string Why)> Unsent => _unsent;

    public async Task OpenAsync(CancellationToken cancel)
    {
        try
        {
            _arguments = await ConsumerArguments.OfAsync(questions, connection, queue, type: null, cancel).ConfigureAwait(false);
            _isClassic = ConsumerArguments.TellOfClassic(connection, _arguments, options.QueueType);
            var waiting = (await LookAsync(cancel).ConfigureAwait(false)).MessageCount;
            if (_passage is not null)
                await _passage.OpenAsync(connection, questions, cancel).ConfigureAwait(false);
            Count = _left = waiting;
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            throw explain(e);
        }
    }

    public async ValueTask<QueuedMessage?> NextAsync(CancellationToken cancel)
    {
        try
        {
            if (await NextOrNoneAsync(cancel).ConfigureAwait(false) is { } message)
            {
                _left--;
                _wanted--;
                return message;
            }

            await AllWereHeldAsync(cancel).ConfigureAwait(false);
            return null;
        }
        catch (Exception e) when (e is not (OperationCanceledException or BrokerException))
        {
            throw explain(e);
        }
    }

    public async ValueTask TakeAsync(QueuedMessage message, CancellationToken cancel)
    {
        var swept = (SweptMessage)message;
        if (_taken is [{ Message: var first }, ..] && (_taken.Count == Batch || first.Window != swept.Window))
            await CommitAsync(cancel).ConfigureAwait(false);
        if (_passage is null)
            _taken.Add(new(swept, Copy: null, By: null));
        else if (await CopyOrNoneAsync(swept, cancel).ConfigureAwait(false) is { } copy)
            _taken.Add(new(swept, copy, _passage.QueueFor(keyOf(swept.Message))));
    }

    public async ValueTask CommitAsync(CancellationToken cancel)
    {
        if (_taken.Count == 0)
            return;

        var window = _taken[0].Message.Window;
        try
        {
            window.ThrowIfEnded();

            // In place of what leaves the server hands out others, and these would be too many: a quorum queue counts that. A classic one does not, and whether
            // it has crashed only a consumer hears.
            if (_wanted < window.Size && !_isClassic)
                await window.StopAsync().WithinAsync(Questions.Patience, _time, cancel).ConfigureAwait(false);
            foreach (var (message, copy, by) in _taken)
            {
                if (copy is not null)
                    await window.Channel.BasicPublishAsync("", by!, mandatory: true, copy, message.Message.Body, cancel).ConfigureAwait(false);
                await window.Channel.BasicAckAsync(message.Tag, multiple: false, cancel).ConfigureAwait(false);
            }

            // All of that takes its time, too.
            window.ThrowIfEnded();
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            throw explain(e);
        }

        // Whatever comes of it: to say it again would send the copies twice.
        var batch = _taken.ToArray();
        _taken.Clear();
        await CommitAsync(window, batch).ConfigureAwait(false);
        Committed += batch.Length;
        window.Left(batch.Length);
    }

    /// <summary>Without a commit nothing happens: the server has back all that is still held, in its old places.</summary>
    public async ValueTask DisposeAsync()
    {
        // Where a queue hangs, its channels end with the connection.
        await Task.WhenAll(_windows.Select(window => window.Channel.DisposeAsync().AsTask())).WaitAsync(s_timeToClose, _time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    // One that the client can't write, or the server does not take for its size, would end the commit, and with its channel all that is held, each time.
    private async ValueTask<BasicProperties?> CopyOrNoneAsync(SweptMessage message, CancellationToken cancel)
    {
        var copy = Envelope.ToReplay(message.Envelope, _time.GetUtcNow());
        try
        {
            HeaderFrame.Fit(copy, connection.FrameMax, target!);
            if (await _sizes.RefusalOfAsync(message.Message.Body, cancel).ConfigureAwait(false) is not { } why)
                return copy;
            LeaveThere(message, why);
        }
        catch (UnfitException unfit)
        {
            LeaveThere(message, unfit.Message);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            throw explain(e);
        }

        return null;
    }

    private void LeaveThere(SweptMessage message, string why)
    {
        _unsent.Add((message.Message.Id, why));
        _wanted++;
    }

    private async Task<SweptMessage?> NextOrNoneAsync(CancellationToken cancel)
    {
        var began = _time.GetTimestamp();
        while (_left > 0 && _wanted > 0)
        {
            _windows.LastOrDefault()?.ThrowIfEnded();
            if (_windows is not [.., var window] || window.IsFull)
            {
                window = await NextWindowAsync(cancel).ConfigureAwait(false);
                began = _time.GetTimestamp();
            }

            if (await window.NextAsync(s_silence, _time, cancel).ConfigureAwait(false) is { } message)
                return message;
            if (window.IsFull)
                continue;

            // Others may have taken what was here when it began; or the server serves others first; or it could not ask the queue's leader,
            // and says that there is nothing, not even our own consumer.
            var there = await LookAsync(cancel).ConfigureAwait(false);
            if (there is { MessageCount: 0, ConsumerCount: > 0 })
                return await LastOnItsWayAsync(window, cancel).ConfigureAwait(false);
            if (_time.GetElapsedTime(began) >= Questions.Patience)
                throw there.MessageCount == 0 ? Problems.NothingTold(queue) : Problems.NothingHandedOut(queue, there.MessageCount, there.ConsumerCount);
        }

        return null;
    }

    // What has been handed out to us is not there any more, and may still be on its way, for minutes where it is large or the way is narrow.
    // Behind it comes the answer to a question by the same channel.
    private async Task<SweptMessage?> LastOnItsWayAsync(Window window, CancellationToken cancel)
    {
        await window.AnswerAsync().WithinAsync(Questions.Patience, _time, cancel).ConfigureAwait(false);
        return await window.NextAsync(s_silence, _time, cancel).ConfigureAwait(false);
    }

    // The server ends each window by itself that holds a message for too long. What that one held comes again, by the newest, in place of others
    // that are never looked at; and may do so before we hear of the end.
    private async Task AllWereHeldAsync(CancellationToken cancel)
    {
        var earlier = _windows.SkipLast(1).ToArray();
        await Task.WhenAll(earlier.Select(window => window.AnswerAsync())).WithinAsync(Questions.Patience, _time, cancel).ConfigureAwait(false);
        foreach (var window in earlier)
            window.ThrowIfEnded();
    }

    // From here on it is the server's: to call it off would leave nobody knowing.
    private async Task CommitAsync(Window window, Taken[] batch)
    {
        try
        {
            await window.Channel.TxCommitAsync(CancellationToken.None).WithinAsync(ToCommit, _time, CancellationToken.None).ConfigureAwait(false);
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
            var unsent = Array.FindAll(batch, taken => gone.Contains(taken.By!));
            Committed += batch.Length - unsent.Length;
            var missing = $"The queue '{gone.First()}', by which they go to '{target}', is gone.";
            await PutBackAsync(unsent, missing).ConfigureAwait(false);
            throw new BrokerException($"{missing} What could not be sent there, {unsent.Length} messages, was put back into '{queue}'.", isTransient: false);
        }

        // A queue that crashed before it heard of the commit has the originals still.
        if (window.End is { } end)
            throw new BrokerException($"{explain(end).Message} A batch of {batch.Length} messages was being committed: {Doubt("some of it or all")}", isTransient: true, end);
    }

    private string Doubt(string whatHasLeft) => target is null
        ? $"{whatHasLeft} has left '{queue}'. Look there before trying again."
        : $"{whatHasLeft} has left '{queue}', and what has not may be in '{target}' all the same. Look in both before sending again.";

    // The server forgets the originals even where it had no place for a copy. Rather twice than never; and what may be never is told.
    private async Task PutBackAsync(Taken[] messages, string why)
    {
        var back = new PutBack(connection, queue);
        try
        {
            await back.SendAsync(messages.Select(taken => taken.Message)).WithinAsync(ToCommit, _time, CancellationToken.None).ConfigureAwait(false);
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

    private async Task<Window> NextWindowAsync(CancellationToken cancel)
    {
        await CommitAsync(cancel).ConfigureAwait(false);
        if (_windows is [.., { IsFull: false } roomy])
            return roomy;

        foreach (var earlier in _windows)
            earlier.ThrowIfEnded();

        // There is a further one only where something was passed over. That is held for longer than what waits in a larger one.
        var ahead = rate is { } perSecond ? Math.Ceiling(perSecond * SecondsAhead) * Math.Pow(2, _windows.Count) : WindowSize;

        // Where some could not be sent the next ones may be no better: with a window for each, there would be as many channels.
        var wanted = Math.Min(_left, _wanted + _unsent.Count);
        var size = (int)Math.Min(Math.Min(WindowSize, ahead), wanted);
        var window = await Window.OpenAsync(connection, queue, _arguments, size, _time, cancel).ConfigureAwait(false);
        _windows.Add(window);
        return window;
    }

    private Task<QueueDeclareOk> LookAsync(CancellationToken cancel) => questions.LookAsync(connection, queue, cancel);

    /// <summary>What is to leave with the next commit; with its copy, and the queue that this sets out by, where it goes somewhere.</summary>
    private sealed record Taken(SweptMessage Message, BasicProperties? Copy, string? By);
}
