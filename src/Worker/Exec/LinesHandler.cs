using System.Collections.Concurrent;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Exec;

/// <summary>Gives messages to processes that live on, one message at a time each, and starts another where one has ended.</summary>
internal sealed class LinesHandler(ExecOptions options, SendSignal send, TimeProvider time, ILogger log, CancellationToken stopping) : IHandler, IAsyncDisposable
{
    private const int MostDoublings = 10;
    private static readonly TimeSpan s_firstPause = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromSeconds(30);

    // What a process does of its own accord takes it a moment too, however little it is given once it was told to end.
    private static readonly TimeSpan s_leastPatience = TimeSpan.FromMilliseconds(500);

    private readonly TimeSpan _patience = options.Grace > s_leastPatience ? options.Grace : s_leastPatience;
    private readonly Children _children = new(new ExecCommand(options), options.Grace, send, time, log);
    private readonly ConcurrentStack<LineProcess> _idle = [];
    private int _failures;

    public async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        try
        {
            var answer = await OffLane.RunAsync(() => AskAsync(message, cancel));
            return answer.Settle(options.Delay);
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested && !cancel.IsCancellationRequested)
        {
            // No process has it yet, and one of another worker may be free.
            return Settlement.Abandon;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_idle.Select(process => process.LetGoAsync())).AtMostAsync(options.Grace, time);
        await _children.DisposeAsync();
    }

    private async Task<LineAnswer> AskAsync(HeldMessage message, CancellationToken cancel)
    {
        var process = await TakeAsync(message.Queue, cancel);
        using var limit = new TimeLimit(options.Timeout, time, cancel);
        while (true)
        {
            var request = RequestFor(message, process);
            try
            {
                var answer = await process.AskAsync(message.Id, request, limit.Token);
                Volatile.Write(ref _failures, 0);
                if (await process.HasReadItAsync(_patience, time))
                    _idle.Push(process);
                else
                    log.LeftUnread(message.Id, message.Queue, await EndAsync(process));
                return answer;
            }
            catch (Exception problem)
            {
                var hasLeft = await process.HasLeftAsync(_patience, time);
                var end = await EndAsync(process);
                limit.ThrowIfOver();
                if (!hasLeft)
                    throw Lost(message, problem, end);

                log.EndedIdly(message.Queue, end);
                process = await TakeAsync(message.Queue, cancel);
            }
        }
    }

    // It tells how long the lease is trusted, so it is written last of all. Where it can't be, the process has no part in that.
    private ReadOnlyMemory<byte> RequestFor(HeldMessage message, LineProcess process)
    {
        try
        {
            return LineRequest.Write(message);
        }
        catch
        {
            _idle.Push(process);
            throw;
        }
    }

    private CommandFailedException Lost(HeldMessage message, Exception problem, string end)
    {
        Interlocked.Increment(ref _failures);
        log.Lost(message.Id, message.Queue, problem.Message, end);
        return new($"The process that had the message is lost. {problem.Message}. {end}");
    }

    private async Task<LineProcess> TakeAsync(string queue, CancellationToken cancel)
    {
        while (_idle.TryPop(out var idle))
        {
            if (idle.HasSpoken)
                log.SpokeUnasked(queue, await EndAsync(idle));
            else if (idle.IsOver)
                log.EndedIdly(queue, await EndAsync(idle));
            else
                return idle;
        }

        if (Pause() is { Ticks: > 0 } pause)
            await RestAsync(pause, cancel);
        return new LineProcess(_children.Start([]), options.LogLines, (id, line) => log.Wrote(id ?? "none", queue, "stderr", line), time);
    }

    // A worker that stops has its drain for what is under way.
    private async Task RestAsync(TimeSpan pause, CancellationToken cancel)
    {
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancel, stopping);
        await Task.Delay(pause, time, over.Token);
    }

    private async Task<string> EndAsync(LineProcess process)
    {
        await using (process)
            return await process.EndAsync(options.Grace);
    }

    private TimeSpan Pause()
    {
        if (Volatile.Read(ref _failures) is not (> 0 and var failures))
            return TimeSpan.Zero;
        var pause = s_firstPause * (1 << Math.Min(failures - 1, MostDoublings));
        return pause < s_longestPause ? pause : s_longestPause;
    }
}
