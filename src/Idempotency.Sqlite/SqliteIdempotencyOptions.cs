using Holdfast.Consumer;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Idempotency.Sqlite;

/// <summary>Where the keys of completed messages are kept, and how many of them.</summary>
public sealed class SqliteIdempotencyOptions
{
    /// <summary>The file, made where it is not there. It belongs on a disk that outlives the process, and not on a network's.</summary>
    public required string Path { get; init; }

    /// <summary>How long a key is kept.</summary>
    public TimeSpan KeepFor { get; init; } = TimeSpan.FromDays(1);

    /// <summary>The most keys that are kept; then the oldest give way.</summary>
    public long KeepMost { get; init; } = 1_000_000;

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Where it is told what nobody asks for: a file that had to be made anew, or could not be closed.</summary>
    public ILogger Log { get; init; } = NullLogger.Instance;

    // What is kept for no time, or not at all, would be forgotten with the next commit.
    internal IEnumerable<OptionError> Broken()
    {
        if (KeepFor <= TimeSpan.Zero)
            yield return new("Idempotency__KeepFor", $"{KeepFor} is too short; set how long a key is kept, such as 1.00:00:00.");
        if (KeepMost < 1)
            yield return new("Idempotency__KeepMost", $"{KeepMost} is out of range; set 1 or more.");
    }

    /// <exception cref="InvalidOptionsException">A setting can't be.</exception>
    internal void Check()
    {
        OptionError[] errors = [.. WithoutFile(), .. Broken()];
        if (errors.Length > 0)
            throw new InvalidOptionsException(errors);
    }

    // To SQLite no name at all is a database of its own, which is gone with the store. Not among what is asked of all settings: there need not be a store.
    private IEnumerable<OptionError> WithoutFile()
    {
        if (string.IsNullOrWhiteSpace(Path))
            yield return new("Idempotency__Path", "It is empty, and nothing would be remembered beyond the store; set a file, such as /data/completed.db.");
    }
}
