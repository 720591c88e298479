using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging.Console;

namespace Holdfast.Worker.Terminal;

/// <summary>Writes a log entry as one line: the time, how bad it is where it is bad, and what happened.</summary>
internal sealed class LineFormatter(TimeProvider time) : ConsoleFormatter(FormatterName)
{
    public const string FormatterName = "line";

    public override void Write<TState>(in LogEntry<TState> logEntry, IExternalScopeProvider? scopeProvider, TextWriter textWriter)
    {
        textWriter.Write(time.GetLocalNow().ToString("HH:mm:ss.fff "));
        textWriter.Write(Word(logEntry.LogLevel));
        textWriter.Write(Printable.OneLine(logEntry.Formatter(logEntry.State, logEntry.Exception)));
        for (var e = logEntry.Exception; e is not null; e = e.InnerException)
            textWriter.Write($": {e.GetType().Name}: {Printable.OneLine(e.Message)}");
        textWriter.WriteLine();
        // An error is a bug until shown otherwise: then the way to it is worth the lines.
        if (logEntry is { LogLevel: >= LogLevel.Error, Exception.StackTrace: { } trace })
            textWriter.WriteLine(trace);
    }

    private static string Word(LogLevel level) => level switch
    {
        LogLevel.Critical => "CRITICAL ",
        LogLevel.Error => "ERROR ",
        LogLevel.Warning => "warning ",
        LogLevel.Information => "",
        _ => "debug ",
    };
}
