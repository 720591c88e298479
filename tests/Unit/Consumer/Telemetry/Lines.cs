using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>A log that is kept, line by line.</summary>
internal sealed class Lines : List<string>, ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public LogLevel Least { get; set; } = LogLevel.Trace;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= Least;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        Add(formatter(state, exception));
}
