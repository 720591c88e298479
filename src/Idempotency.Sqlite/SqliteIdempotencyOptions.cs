namespace Holdfast.Idempotency.Sqlite;

/// <summary>Where the ids of completed messages are kept, and how many of them.</summary>
public sealed class SqliteIdempotencyOptions
{
    /// <summary>The file, made where it is not there. It belongs on a disk that outlives the process, and not on a network's.</summary>
    public required string Path { get; init; }

    /// <summary>How long an id is kept.</summary>
    public TimeSpan KeepFor { get; init; } = TimeSpan.FromDays(1);

    /// <summary>The most ids that are kept; then the oldest give way.</summary>
    public long KeepMost { get; init; } = 1_000_000;

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
