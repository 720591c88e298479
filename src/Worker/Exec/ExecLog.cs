namespace Holdfast.Worker.Exec;

/// <summary>Every line that is logged of commands.</summary>
internal static partial class ExecLog
{
    [LoggerMessage(LogLevel.Information, "Message {Id} of {Queue}, {Stream}: {Line}")]
    public static partial void Wrote(this ILogger log, string id, string queue, string stream, string line);

    [LoggerMessage(LogLevel.Warning, "Message {Id} of {Queue}: the process that had it is ended. {Problem}. {End}")]
    public static partial void Lost(this ILogger log, string id, string queue, string problem, string end);

    [LoggerMessage(LogLevel.Information, "A process for {Queue} ended while it had no message; another is started. {End}")]
    public static partial void EndedIdly(this ILogger log, string queue, string end);

    [LoggerMessage(LogLevel.Warning, "Message {Id} of {Queue}: the process that answered did not read its line to the end, and is ended; another is started. {End}")]
    public static partial void LeftUnread(this ILogger log, string id, string queue, string end);

    [LoggerMessage(LogLevel.Warning, "A process for {Queue} wrote more than was asked of it, and is ended; another is started. {End}")]
    public static partial void SpokeUnasked(this ILogger log, string queue, string end);

    [LoggerMessage(LogLevel.Warning, "Process {Id} ({Command}) runs as another user and can't be ended; it is left running. Let the command run as the worker's own user, or end by itself")]
    public static partial void IsAnothersOwn(this ILogger log, int id, string command);

    [LoggerMessage(LogLevel.Warning, "Process {Id} ({Command}) has not ended within {Seconds} s of a SIGKILL; it is left running. It waits within the system: look for a disk or a share that does not answer")]
    public static partial void DoesNotDie(this ILogger log, int id, string command, double seconds);
}
