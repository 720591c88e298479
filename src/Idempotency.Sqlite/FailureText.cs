using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Holdfast.Idempotency.Sqlite;

/// <summary>Says of a failure which file it was, and what helps. SQLite's own word for it is all that whoever reads the log would have.</summary>
internal static class FailureText
{
    public static Exception WithCure(Exception problem, string path) =>
        problem is SqliteException { SqliteErrorCode: var code } sqlite
            ? new SqliteException($"{path} (Idempotency__Path): {sqlite.Message}{Cure(code)}", code, sqlite.SqliteExtendedErrorCode)
            : problem;

    private static string Cure(int code) => code switch
    {
        raw.SQLITE_READONLY => " Let the worker's user write to it, to what lies beside it and to its folder.",
        raw.SQLITE_FULL => " Make room on its disk.",
        raw.SQLITE_CORRUPT or raw.SQLITE_NOTADB => " It is broken: delete it with its -wal and -shm, and a new one is made at once.",
        raw.SQLITE_ERROR => " Its table is none of ours: move it away with its -wal and -shm, and a new one is made at once.",
        _ => "",
    };
}
