using Holdfast.Consumer;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Holdfast.Idempotency.Sqlite;

/// <summary>Says of a failure which file it was, and what helps. SQLite's own word for it is all that whoever reads the log would have.</summary>
internal static class FailureText
{
    private const string Setting = "Idempotency__Path";

    public static Exception WithCure(Exception problem, string path) =>
        problem is SqliteException sqlite
            ? new SqliteException($"{Setting}: {Describe(sqlite, path, "used")}", sqlite.SqliteErrorCode, sqlite.SqliteExtendedErrorCode)
            : problem;

    /// <summary>The same of a file that can't be opened at all.</summary>
    public static OptionError Refusal(SqliteException problem, string path) => new(Setting, Describe(problem, path, "opened"));

    private static string Describe(SqliteException problem, string path, string what) =>
        $"{path} can't be {what} ({problem.Message}); {Cure(problem.SqliteErrorCode)}.";

    // It need not be ours, so nobody is told to delete it.
    private static string Cure(int code) => code switch
    {
        raw.SQLITE_BUSY => "another program holds it: let that end, or set a file of its own",
        raw.SQLITE_READONLY or raw.SQLITE_CANTOPEN => "let its folder be there, and let the worker's user write to that, to it and to what lies beside it, or set another file",
        raw.SQLITE_FULL => "make room on its disk",
        raw.SQLITE_CORRUPT or raw.SQLITE_NOTADB => "it is broken, or none of ours: move it away with its -wal and -shm, and a new one is made, or set a file of its own",
        raw.SQLITE_ERROR or raw.SQLITE_CONSTRAINT => "it is another program's, or one has changed it: set a file of its own",
        _ => "see to its disk, or set a file on another",
    };
}
