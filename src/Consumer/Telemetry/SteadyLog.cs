using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>
/// A log that never fails its caller: a full disk behind it must end neither a lease nor the lease loop.
/// That it fails is told elsewhere, once, until it works again. Any thread.
/// </summary>
internal sealed class SteadyLog(ILogger log, Action<string> tell) : ILogger
{
    private int _isFailing;

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
            Tell(problem);
            return false;
        }
    }

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        try
        {
            log.Log(logLevel, eventId, state, exception, formatter);
            _isFailing = 0;
        }
        catch (Exception problem)
        {
            Tell(problem);
        }
    }

    private void Tell(Exception problem)
    {
        if (Interlocked.Exchange(ref _isFailing, 1) != 0)
            return;

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
