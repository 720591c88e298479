using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Holdfast.Idempotency.Sqlite;

/// <summary>The keys in the file, bounded in time and number. Blocks, and serves one thread at a time.</summary>
internal sealed class CompletedTable : IDisposable
{
    // A key stands where once the id alone stood, and begins with it: files that are older stay what they are.
    private const string Layout =
        "CREATE TABLE IF NOT EXISTS completed (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, queue TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (queue, id));";

    private const string OfOthersAlone =
        "SELECT count(*) > 0 AND NOT max(type = 'table' AND name = 'completed') FROM sqlite_schema";

    // What is written outlives the process at once, and the machine's sudden end after a moment: a commit does not wait for the disk.
    private const string Writing =
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        PRAGMA journal_size_limit = 16777216;
        """;

    // A clock that was ahead and was set right leaves times behind that are still to come: they count as now, or they would stay for as long as it was ahead,
    // and all that came after them. They were the last to be told, so unless the last of all is one of these nothing is looked through. Times that are
    // further ahead than a key is kept are left: it may be the clock that is wrong now, as on a machine that starts in 1970, and once that is set right
    // all of it would be too old. Their number bounds them.
    private const string SettingRight =
        """
        UPDATE completed SET at = $now WHERE at > $now AND at <= $believable
            AND number >= (SELECT iif(at > $now AND at <= $believable, 0, number + 1) FROM completed ORDER BY number DESC LIMIT 1);
        """;

    // Numbers grow with time, so what is too old, or too much, has the lowest ones. Not all of it goes at once: after a long quiet it may be everything
    // there is, and all who ask or tell wait for it.
    private const string Cleaning =
        """
        WITH few AS (SELECT min(number) + $few AS last FROM completed)
        DELETE FROM completed WHERE number < min(
            (SELECT last FROM few),
            max(
                (SELECT max(number) FROM completed) - $most + 1,
                coalesce((SELECT number FROM completed WHERE number < (SELECT last FROM few) AND at >= $oldest ORDER BY number LIMIT 1), (SELECT last FROM few))));
        """;

    // More than has come, or the file would grow for ever.
    private const int FewToClean = 1000;
    private const int ForEachThatCame = 2;

    // Another process may hold the file for a moment. All that is asked meanwhile waits, so it is a short one.
    private const int SecondsForOthers = 2;

    private readonly SqliteIdempotencyOptions _options;
    private readonly SqliteConnection _connection;
    private readonly SqliteCommand _add;
    private readonly SqliteCommand _find;
    private readonly SqliteCommand _setRight;
    private readonly SqliteCommand _clean;

    /// <exception cref="SqliteException">The file can't be opened or written to, or is none of ours.</exception>
    public CompletedTable(SqliteIdempotencyOptions options)
    {
        _options = options;

        // To SQLite :memory: and file: have meanings of their own, and what they mean may be gone with the process. Here a path is a path.
        _connection = new(new SqliteConnectionStringBuilder { DataSource = Path.GetFullPath(options.Path), Pooling = false, DefaultTimeout = SecondsForOthers }.ToString());
        try
        {
            _connection.Open();
            MustNotBeOfOthers();
            Execute(Layout);
            _add = Command("INSERT OR REPLACE INTO completed (at, queue, id) VALUES ($at, $queue, $id)", "$at", "$queue", "$id");
            _find = Command("SELECT 1 FROM completed WHERE queue = $queue AND id = $id AND at >= $oldest", "$queue", "$id", "$oldest");
            _setRight = Command(SettingRight, "$now", "$believable");
            _clean = Command(Cleaning, "$few", "$most", "$oldest");

            // A table of that name that is another one's is refused before its file is changed.
            foreach (var command in (ReadOnlySpan<SqliteCommand>)[_add, _find, _setRight, _clean])
                command.Prepare();
            MustBeWritable();
            Execute(Writing);
        }
        catch
        {
            _connection.Dispose();
            throw;
        }
    }

    private long Now => _options.TimeProvider.GetUtcNow().ToUnixTimeMilliseconds();

    private long KeptFor => (long)_options.KeepFor.TotalMilliseconds;

    private long Oldest => Now - KeptFor;

    /// <summary>Whether the path leads to another file by now, or to none.</summary>
    public bool IsGone => OpenFile.IsGone(_connection.Handle!);

    public bool Contains(string queue, string key) => Run(_find, queue, key, Oldest).ExecuteScalar() is not null;

    /// <summary>Keeps all of them, or none where it fails.</summary>
    public void Add(IEnumerable<(string Queue, string Key)> completed)
    {
        using var transaction = _connection.BeginTransaction();
        (_setRight.Transaction, _add.Transaction, _clean.Transaction) = (transaction, transaction, transaction);
        Run(_setRight, Now, Now + KeptFor).ExecuteNonQuery();
        var few = FewToClean;
        foreach (var (queue, key) in completed)
        {
            Run(_add, Now, queue, key).ExecuteNonQuery();
            few += ForEachThatCame;
        }

        Run(_clean, few, _options.KeepMost, Oldest).ExecuteNonQuery();
        transaction.Commit();
    }

    public void Dispose()
    {
        _add.Dispose();
        _find.Dispose();
        _setRight.Dispose();
        _clean.Dispose();
        _connection.Dispose();
    }

    // Another program's database would take our table without a word.
    private void MustNotBeOfOthers()
    {
        using var command = Command(OfOthersAlone);
        if (command.ExecuteScalar() is 1L)
            throw new SqliteException("It holds tables, and none of ours.", raw.SQLITE_ERROR);
    }

    // SQLite opens a file that may only be read all the same, and the first to be told of it would be a message that had completed.
    private void MustBeWritable()
    {
        if (raw.sqlite3_db_readonly(_connection.Handle, "main") == 1)
            SqliteException.ThrowExceptionForRC(raw.SQLITE_READONLY, _connection.Handle);
    }

    private void Execute(string text)
    {
        using var command = Command(text);
        command.ExecuteNonQuery();
    }

    private static SqliteCommand Run(SqliteCommand command, params ReadOnlySpan<object> values)
    {
        for (var i = 0; i < values.Length; i++)
            command.Parameters[i].Value = values[i];
        return command;
    }

    private SqliteCommand Command(string text, params ReadOnlySpan<string> parameters)
    {
        var command = _connection.CreateCommand();
        command.CommandText = text;
        foreach (var parameter in parameters)
            command.Parameters.Add(new() { ParameterName = parameter });
        return command;
    }
}
