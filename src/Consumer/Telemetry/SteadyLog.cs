using System.Collections.Concurrent;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>
/// A log that neither holds up nor fails its caller: lanes, the watch and a broker's own threads write to it, and a terminal that stands still must not
/// hold up any of them, nor a full disk end them. Lines wait in a queue that one thread of the pool at a time empties. What finds no room is counted and
/// told of by the next line; that the log behind fails is told elsewhere, once, until it works again. Any thread.
/// </summary>
internal sealed class SteadyLog(ILogger log, Action<string> tell) : ILogger
{
    /// <summary>How many lines wait at the most.</summary>
    internal const int MostLines = 10_000;

    private readonly ConcurrentQueue<Action> _lines = new();
    private int _waiting;
    private int _leftOut;
    private bool _isFailing;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => log.BeginScope(state);

    public bool IsEnabled(LogLevel logLevel)
    {
        try
        {
            return log.IsEnabled(logLevel);
        }
        catch (Exception problem)
        {
            Offer(() => throw problem);
            return false;
        }
    }

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        Offer(() => log.Log(logLevel, eventId, state, exception, formatter));

    /// <summary>Completes once all that was logged before is written; never, where the log behind stands still.</summary>
    public Task WrittenAsync()
    {
        var isWritten = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Add(isWritten.SetResult);
        return isWritten.Task;
    }

    private void Offer(Action line)
    {
        if (Volatile.Read(ref _waiting) < MostLines)
            Add(line);
        else
            Interlocked.Increment(ref _leftOut);
    }

    // Loggers ask for the span that is current, so a line takes along where it was said.
    private void Add(Action line)
    {
        var context = ExecutionContext.Capture();
        _lines.Enqueue(context is null ? line : () => ExecutionContext.Run(context, static line => ((Action)line!)(), line));
        if (Interlocked.Increment(ref _waiting) == 1)
            PoolQueue.Add(static log => log.WriteAll(), this);
    }

    // There is a line for each that is counted, and who counts down to none is the last for now.
    private void WriteAll()
    {
        do
        {
            _lines.TryDequeue(out var line);
            Write(line!);
            if (Interlocked.Exchange(ref _leftOut, 0) is > 0 and var count)
                Write(() => log.LinesLeftOut(count));
        }
        while (Interlocked.Decrement(ref _waiting) > 0);
    }

    private void Write(Action line)
    {
        try
        {
            line();
            _isFailing = false;
        }
        catch (Exception problem)
        {
            Tell(problem);
        }
    }

    private void Tell(Exception problem)
    {
        if (_isFailing)
            return;

        _isFailing = true;
        try
        {
            tell($"Holdfast can't log: {ErrorText.WithType(problem)} Messages are handled on.");
        }
        catch (IOException)
        {
            // The disk that is full may be that one's too, and there is nowhere left to say it.
        }
    }
}
