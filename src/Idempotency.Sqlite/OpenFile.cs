using System.Runtime.InteropServices;
using SQLitePCL;

namespace Holdfast.Idempotency.Sqlite;

/// <summary>What SQLite knows of the file that it has open, and its wrapper for .NET never asks.</summary>
internal static partial class OpenFile
{
    private const string Library = "e_sqlite3";
    private const int HasMoved = 20; // SQLITE_FCNTL_HAS_MOVED

    /// <summary>Whether it was deleted, moved or replaced. Where the host has chosen another library of SQLite's, that is not known.</summary>
    public static bool IsGone(sqlite3 database) =>
        raw.GetNativeLibraryName() == Library && Control(database, "main", HasMoved, out var hasMoved) == raw.SQLITE_OK && hasMoved != 0;

    [LibraryImport(Library, EntryPoint = "sqlite3_file_control", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Control(sqlite3 database, string name, int what, out int answer);
}
