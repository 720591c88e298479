using Holdfast.Consumer;
using Holdfast.Idempotency.Sqlite;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Hosting;

/// <summary>The store that remembers completed messages, where one is asked for.</summary>
internal static class Idempotency
{
    private static ReadOnlySpan<byte> Signature => "SQLite format 3\0"u8;

    public static void UseIdempotency(this HoldfastBuilder holdfast, IdempotencyOptions options)
    {
        if (options.Path is { } path)
            holdfast.UseIdempotency(services => Open(path, options, services));
    }

    /// <summary>What would keep a worker from opening it. It is not opened for that: whoever asks may be another user, whose file the worker could not write to.</summary>
    public static IEnumerable<OptionError> Broken(IdempotencyOptions options) =>
        options.Path is { } path && Obstacle(path) is { } why ? [Refused(path, why)] : [];

    private static SqliteIdempotencyStore Open(string path, IdempotencyOptions options, IServiceProvider services) =>
        new(options.With(path, services.GetRequiredService<TimeProvider>(), services.GetRequiredService<ILogger<SqliteIdempotencyStore>>()));

    private static OptionError Refused(string path, string why) =>
        new("Idempotency__Path", $"{path} can't be opened ({why}); set a file of its own, in a folder that is there and may be written to.");

    private static string? Obstacle(string path)
    {
        // SQLite has files of its own beside the one that it is told of.
        var folder = Path.GetDirectoryName(Path.GetFullPath(path)) ?? path;
        if (!Folder.MayBeWrittenTo(folder))
            return $"'{folder}' is no folder that may be written to";
        try
        {
            return !Path.Exists(path) || IsDatabase(path) ? null : "it is no database of SQLite's";
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            return problem.Message;
        }
    }

    // An empty one is as good as none.
    private static bool IsDatabase(string path)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        Span<byte> head = stackalloc byte[Signature.Length];
        var read = file.ReadAtLeast(head, head.Length, throwOnEndOfStream: false);
        return read == 0 || head[..read].SequenceEqual(Signature);
    }
}
