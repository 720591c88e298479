using Holdfast.Consumer;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Holdfast.Idempotency.Sqlite;

/// <summary>Says of a failure which file it was, and what helps. SQLite's own word for it is all that whoever reads the log would have.</summary>
internal static class FailureText
{
    private const string Setting = "Idempotency__Path";

    public static Exception WithCure(Exception problem, string path) =>
        problem is SqliteException { SqliteErrorCode: var code } sqlite
            ? new SqliteException($"{path} ({Setting}): {sqlite.Message}{Cure(code)}", code, sqlite.SqliteExtendedErrorCode)
            : problem;

    /// <summary>The same of a file that can't be opened at all. It need not be ours, so nobody is told to delete it.</summary>
    public static OptionError Refusal(SqliteException problem, string path) =>
        new(Setting, $"{path} can't be opened ({problem.Message}); {CureAtStart(problem.SqliteErrorCode)}.");

    private static string Cure(int code) => code switch
    {
        raw.SQLITE_BUSY => " Another program holds it: let that end, or give the worker a file of its own.",
        raw.SQLITE_READONLY or raw.SQLITE_CANTOPEN => " Let the worker's user write to it, to what lies beside it and to its folder.",
        raw.SQLITE_FULL => " Make room on its disk.",
        raw.SQLITE_CORRUPT or raw.SQLITE_NOTADB => " It is broken: delete it with its -wal and -shm, and a new one is made at once.",
        raw.SQLITE_ERROR or raw.SQLITE_CONSTRAINT => " Its table is none of ours: move it away with its -wal and -shm, and a new one is made at once.",
        _ => "",
    };

    private static string CureAtStart(int code) => code switch
    {
        raw.SQLITE_BUSY => "another program holds it: let that end, or set a file of its own",
        raw.SQLITE_READONLY => "let the worker's user write to it, to what lies beside it and to its folder",
        raw.SQLITE_FULL => "make room on its disk",
        raw.SQLITE_CORRUPT or raw.SQLITE_NOTADB or raw.SQLITE_ERROR =>
            "it is broken, or none of ours: move it away with its -wal and -shm, and a new one is made at the next start, or set a file of its own",
        _ => "set a file of its own, in a folder that is there and may be written to",
    };
}
