using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit;

/// <summary>Keeps what was logged.</summary>
internal sealed class Notes<T> : ILogger<T>
{
    public List<string> Lines { get; } = [];

    /// <summary>Those that tell of something wrong.</summary>
    public IEnumerable<string> Troubles => Lines.Where(line => !line.StartsWith($"{LogLevel.Information}", StringComparison.Ordinal));

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        Lines.Add($"{logLevel}: {formatter(state, exception)}");
}
