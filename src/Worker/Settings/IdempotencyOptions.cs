using Holdfast.Idempotency.Sqlite;

namespace Holdfast.Worker.Settings;

/// <summary>Where the ids of completed messages are kept beyond the life of the process, if anywhere.</summary>
internal sealed class IdempotencyOptions
{
    public string? Path { get; set; }

    public TimeSpan KeepFor { get; set; } = TimeSpan.FromDays(1);

    public long KeepMost { get; set; } = 1_000_000;

    /// <summary>All that the store itself must know.</summary>
    public SqliteIdempotencyOptions With(string path, TimeProvider time, ILogger log) => new() { Path = path, KeepFor = KeepFor, KeepMost = KeepMost, TimeProvider = time, Log = log };
}
