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

    // With a rate, what has been handed out and waits for its turn is held, too: so many seconds of it, and not an hour.
    private const int SecondsAhead = 2;

    private static readonly TimeSpan s_timeToClose = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_silence = TimeSpan.FromMilliseconds(300);

    private readonly List<Window> _windows = [];
    private readonly List<(string Id, string Why)> _unsent = [];
    private readonly Batches _batches = new(connection, queue, target, options.TimeProvider, explain);
    private readonly Passage? _passage = target is null ? null : new(target);
    private readonly TimeProvider _time = options.TimeProvider;
    private readonly SizeLimit _sizes = new(connection, options.TimeProvider);
    private IDictionary<string, object?>? _arguments;
    private bool _isClassic;

    // Of those that were there when it began, and of those that are wanted.
    private long _left;
    private long _wanted = most ?? (long)uint.MaxValue;

    public long? Count { get; private set; }

    public long Committed => _batches.Committed;

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
        if (!_batches.HaveRoomFor(swept))
            await CommitAsync(cancel).ConfigureAwait(false);
        if (_passage is null)
            _batches.Add(swept, copy: null, by: null);
        else if (await CopyOrNoneAsync(swept, cancel).ConfigureAwait(false) is { } copy)
            _batches.Add(swept, copy, _passage.QueueFor(keyOf(swept.Message)));
    }

    public async ValueTask CommitAsync(CancellationToken cancel)
    {
        if (_batches.Window is not { } window)
            return;

        try
        {
            window.ThrowIfEnded();

            // In place of what leaves the server hands out others, and these would be too many: a quorum queue counts that. A classic one does not, and whether
            // it has crashed only a consumer hears.
            if (_wanted < window.Size && !_isClassic)
                await window.StopAsync().WithinAsync(Questions.Patience, _time, cancel).ConfigureAwait(false);
            await _batches.AnnounceAsync(window, cancel).ConfigureAwait(false);

            // All of that takes its time, too.
            window.ThrowIfEnded();
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            throw explain(e);
        }

        await _batches.CommitAsync(window).ConfigureAwait(false);
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
}
