namespace Holdfast.Worker.Exec;

/// <summary>One process that lives on: it is given a line, and answers with one. One caller at a time, on the pool.</summary>
internal sealed class LineProcess : IAsyncDisposable
{
    private const int LongestAnswer = 65_536;

    private readonly ChildProcess _child;
    private readonly CancellationTokenSource _hush;
    private readonly OutputLog _error;
    private readonly Task _listening;
    private readonly Task _lastWord;
    private readonly byte[] _answer = new byte[LongestAnswer];
    private readonly CancellationTokenSource _over = new();

    // One is always under way, so that what it says between two messages is never taken for an answer to the next.
    private Task<int> _reading;
    private Task<bool> _feeding = Task.FromResult(true);
    private bool _hasAnswered;
    private bool _isSilent;
    private string? _messageId;

    public LineProcess(ChildProcess child, int mostLines, Action<string?, string> log, TimeProvider time)
    {
        _child = child;
        _hush = new(Timeout.InfiniteTimeSpan, time);
        _error = new(mostLines, line => log(_messageId, line));
        _listening = _error.ReadAsync(child.Error, _hush.Token);
        _lastWord = LastWordAsync(child, time);
        _reading = ReadAsync(0);
    }

    /// <summary>Whether it has said something since its last answer. That it will say nothing more is no word.</summary>
    public bool HasSpoken => _reading is { IsCompletedSuccessfully: true, Result: > 0 };

    /// <summary>Whether it answers nothing more: it has ended, or its output has.</summary>
    public bool IsOver => _child.Exited.IsCompleted || (_reading.IsCompleted && !HasSpoken);

    /// <summary>Gives it a message, and takes its answer.</summary>
    /// <exception cref="FormatException">It does not keep to the rules.</exception>
    /// <exception cref="IOException">It does not speak any more.</exception>
    public async Task<LineAnswer> AskAsync(string id, ReadOnlyMemory<byte> request, CancellationToken cancel)
    {
        _error.Begin();
        _messageId = id;
        LineAnswer answer;
        // Whoever calls off a message ends its process: so one source serves all that is read of it.
        using (cancel.UnsafeRegister(static over => ((CancellationTokenSource)over!).Cancel(), _over))
        {
            _feeding = _child.FeedAsync(request, cancel);
            answer = LineAnswer.Read((await AnswerAsync()).Span, id);
        }

        cancel.ThrowIfCancellationRequested();
        _hasAnswered = true;
        _reading = ReadAsync(0);
        return answer;
    }

    /// <summary>Whether it has read the line that it has answered, or does so in time. What is left of that would stand before the next.</summary>
    public async Task<bool> HasReadItAsync(TimeSpan patience, TimeProvider time)
    {
        await _feeding.AtMostAsync(patience, time);
        return _feeding is { IsCompletedSuccessfully: true, Result: true };
    }

    /// <summary>
    /// Whether it has ended as it may between two messages, though it was given another just then. It says so by having answered before,
    /// by saying nothing now, and by its exit code; that is waited for, but no longer than patience lasts.
    /// </summary>
    public async Task<bool> HasLeftAsync(TimeSpan patience, TimeProvider time)
    {
        if (!_hasAnswered || !_isSilent)
            return false;

        await LetGoAsync().AtMostAsync(patience, time);
        return _child.Exited is { IsCompletedSuccessfully: true, Result: 0 };
    }

    /// <summary>Tells it that no more messages come, and waits until it has ended.</summary>
    public Task LetGoAsync()
    {
        _child.CloseInput();
        return _child.Exited;
    }

    /// <summary>Ends it, where it can be ended, and tells how it ended.</summary>
    public async Task<string> EndAsync(TimeSpan grace)
    {
        await _child.EndAsync(grace);
        _hush.CancelAfter(ChildProcess.LastOutput);
        await _listening;
        return _child.Exited.IsCompleted ? ExitMeaning.Describe(await _child.Exited, _error.LastWords) : "The command could not be ended";
    }

    public async ValueTask DisposeAsync()
    {
        await _over.CancelAsync();
        await _child.DisposeAsync();
        _hush.Dispose();
        _over.Dispose();
    }

    private Task<int> ReadAsync(int length) => _child.Output.ReadAsync(_answer.AsMemory(length), _over.Token).AsTask();

    // What it has said itself is in the pipe when it ends.
    private static async Task LastWordAsync(ChildProcess child, TimeProvider time)
    {
        await child.Exited;
        await Task.Delay(ChildProcess.LastOutput, time);
    }

    private async Task<ReadOnlyMemory<byte>> AnswerAsync()
    {
        var length = 0;
        while (true)
        {
            var read = await Task.WhenAny(_reading, _lastWord) == _reading ? await _reading : 0;
            if (read == 0)
            {
                _isSilent = length == 0;
                throw new IOException("It closed its output without an answer");
            }

            var end = _answer.AsSpan(length, read).IndexOf((byte)'\n');
            length += read;
            if (end >= 0)
                return end == read - 1 ? _answer.AsMemory(0, length) : throw new FormatException("It wrote more than a line for a message");
            if (length == LongestAnswer)
                throw new FormatException($"Its answer is longer than {LongestAnswer} bytes");
            _reading = ReadAsync(length);
        }
    }
}
