using Holdfast.Consumer;
using Holdfast.Idempotency.Sqlite;
using Holdfast.Tests.Unit.Consumer;
using Holdfast.Virtual;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Tests.Unit.Idempotency;

public sealed class SqliteIdempotencyStoreTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    private readonly VirtualTime _time = new();
    private readonly Lines _log = [];
    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task What_one_process_completed_the_next_one_knows()
    {
        await using (var store = Open())
            await store.RememberAsync("orders", "a", default);

        await using var next = Open();
        Assert.True(await next.ContainsAsync("orders", "a", default));
        Assert.False(await next.ContainsAsync("orders", "b", default));
        Assert.False(await next.ContainsAsync("parcels", "a", default));
    }

    [Fact]
    public async Task What_is_kept_can_be_read_while_another_process_holds_the_file()
    {
        await using var store = Open();
        await store.RememberAsync("orders", "a", default);

        await using var other = Open();
        Assert.True(await other.ContainsAsync("orders", "a", default));
    }

    [Fact]
    public void SQLite_is_one_that_corrupts_no_file_of_several_processes() =>
        Assert.InRange(Version.Parse((string)Run("SELECT sqlite_version()")!), new Version(3, 51, 3), new Version(4, 0));

    [Fact]
    public async Task An_id_is_known_for_as_long_as_it_is_to_be_kept_from_the_last_time_on()
    {
        await using var store = Open(keepFor: TimeSpan.FromHours(1));
        await store.RememberAsync("orders", "a", default);
        await store.RememberAsync("orders", "b", default);
        _time.Advance(TimeSpan.FromMinutes(40));
        await store.RememberAsync("orders", "b", default);

        _time.Advance(TimeSpan.FromMinutes(40));

        Assert.False(await store.ContainsAsync("orders", "a", default));
        Assert.True(await store.ContainsAsync("orders", "b", default));
    }

    [Fact]
    public async Task What_is_too_old_or_too_much_leaves_the_file()
    {
        await using (var store = Open(keepFor: TimeSpan.FromHours(1), keepMost: 3))
        {
            foreach (var id in "abcde")
                await store.RememberAsync("orders", $"{id}", default);
        }

        Assert.Equal("cde", Kept());

        _time.Advance(TimeSpan.FromHours(2));
        await using (var store = Open(keepFor: TimeSpan.FromHours(1), keepMost: 3))
            await store.RememberAsync("orders", "f", default);

        Assert.Equal("f", Kept());
    }

    [Fact]
    public async Task However_much_is_too_old_it_leaves_the_file_bit_by_bit()
    {
        const int Many = 3000;
        await using (var store = Open(keepFor: TimeSpan.FromHours(1)))
        {
            await Task.WhenAll(Enumerable.Range(0, Many).Select(n => store.RememberAsync("orders", $"{n}", default).AsTask()));
            _time.Advance(TimeSpan.FromHours(2));
            await store.RememberAsync("orders", "a", default);
            Assert.False(await store.ContainsAsync("orders", "2999", default));
        }

        var left = Count();
        Assert.InRange(left, Many - 1100, Many - 900);
        await using (var store = Open(keepFor: TimeSpan.FromHours(1)))
        {
            foreach (var id in "bcd")
                await store.RememberAsync("orders", $"{id}", default);
        }

        Assert.Equal("abcd", Kept());
    }

    [Fact]
    public async Task All_that_is_asked_at_once_is_answered()
    {
        await using var store = Open();

        await Task.WhenAll(Enumerable.Range(0, 5000).Select(n => store.RememberAsync("orders", $"{n}", default).AsTask()));

        Assert.All(await Task.WhenAll(Enumerable.Range(0, 5000).Select(n => store.ContainsAsync("orders", $"{n}", default).AsTask())), Assert.True);
        Assert.False(await store.ContainsAsync("orders", "5000", default));
    }

    [Fact]
    public async Task A_failure_of_the_file_is_told_to_whoever_asked_and_is_no_end()
    {
        await using var store = Open();
        Run("ALTER TABLE completed RENAME TO gone");
        var failure = await Assert.ThrowsAsync<SqliteException>(() => store.RememberAsync("orders", "a", default).AsTask());
        Assert.StartsWith($"Idempotency__Path: {_folder}/ids.db can't be used (SQLite Error 1", failure.Message, StringComparison.Ordinal);

        Run("ALTER TABLE gone RENAME TO completed");
        await store.RememberAsync("orders", "a", default);
        Assert.True(await store.ContainsAsync("orders", "a", default));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_that_is_deleted_under_it_is_made_anew_by_whoever_comes_first(bool isMadeByAnother)
    {
        await using var store = Open();
        await store.RememberAsync("orders", "a", default);
        foreach (var file in Directory.GetFiles(_folder))
            File.Delete(file);
        if (isMadeByAnother)
            await Open().DisposeAsync();

        await store.RememberAsync("orders", "b", default);
        await store.RememberAsync("orders", "c", default);

        await using var next = Open();
        Assert.True(await next.ContainsAsync("orders", "b", default));
        Assert.False(await store.ContainsAsync("orders", "a", default));
        Assert.Contains("deleted", Assert.Single(_log), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_file_that_was_deleted_under_it_is_let_go_of()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells");
        await using var store = Open();
        await store.RememberAsync("orders", "a", default);
        Assert.NotEmpty(Held());
        foreach (var file in Directory.GetFiles(_folder))
            File.Delete(file);

        await store.RememberAsync("orders", "b", default);

        Assert.DoesNotContain(Held(), file => file.EndsWith("(deleted)", StringComparison.Ordinal));
    }

    [Fact]
    public void A_file_that_is_refused_is_let_go_of()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells");
        Run("CREATE TABLE customers (id INTEGER PRIMARY KEY)");

        Assert.Throws<InvalidOptionsException>(() => Open());

        Assert.Empty(Held());
    }

    [Fact]
    public async Task A_file_that_can_not_be_made_anew_is_a_failure_until_it_can()
    {
        await using var store = Open();
        Directory.Delete(_folder, recursive: true);
        await Assert.ThrowsAsync<SqliteException>(() => store.RememberAsync("orders", "a", default).AsTask());

        Directory.CreateDirectory(_folder);
        await store.RememberAsync("orders", "a", default);
        Assert.Equal("a", Kept());
    }

    [Fact]
    public async Task What_can_not_be_kept_keeps_no_question_from_its_answer()
    {
        await using var store = Open();
        await store.RememberAsync("orders", "a", default);
        using var other = new SqliteConnection($"Data Source={Path.Combine(_folder, "ids.db")};Pooling=False");
        other.Open();
        using var held = other.BeginTransaction(deferred: false);

        var (first, second) = (store.RememberAsync("orders", "b", default).AsTask(), store.RememberAsync("orders", "c", default).AsTask());
        var known = store.ContainsAsync("orders", "a", default).AsTask();

        Assert.True(await known);
        await Assert.ThrowsAsync<SqliteException>(() => first);
        await Assert.ThrowsAsync<SqliteException>(() => second);
    }

    [Fact]
    public async Task While_the_file_is_held_up_no_more_than_so_much_waits_for_it()
    {
        await using var store = Open();
        Task[] asked;
        using (var other = new SqliteConnection($"Data Source={Path.Combine(_folder, "ids.db")};Pooling=False"))
        {
            other.Open();
            using var held = other.BeginTransaction(deferred: false);
            asked = [.. Enumerable.Range(0, 25_000).Select(n => store.RememberAsync("orders", $"{n}", default).AsTask())];
        }

        await Task.WhenAll(asked).ContinueWith(_ => { }, TaskScheduler.Default);
        Assert.Contains(asked, one => one.Exception?.InnerException is TimeoutException);
        Assert.True(asked[0].IsCompletedSuccessfully || asked[0].Exception?.InnerException is SqliteException);
    }

    [Fact]
    public async Task What_was_written_while_a_reader_held_it_up_leaves_no_large_file_behind()
    {
        await using var store = Open(keepMost: 1_000_000);
        await RememberAsync("first");
        using (var other = new SqliteConnection($"Data Source={Path.Combine(_folder, "ids.db")};Pooling=False"))
        {
            other.Open();
            using var reads = other.BeginTransaction(deferred: true);
            using var read = other.CreateCommand();
            (read.Transaction, read.CommandText) = (reads, "SELECT count(*) FROM completed");
            read.ExecuteScalar();
            for (var i = 0; Length() < 20 << 20; i++)
                await RememberAsync($"held {i}");
        }

        await RememberAsync("after");
        await RememberAsync("last");

        Assert.InRange(Length(), 0, 16 << 20);

        long Length() => new FileInfo(Path.Combine(_folder, "ids.db-wal")).Length;

        Task RememberAsync(string some) => Task.WhenAll(Enumerable.Range(0, 2000).Select(n => store.RememberAsync("orders", $"{some} {n:x} {new string('x', 500)}", default).AsTask()));
    }

    [Fact]
    public void A_file_that_is_none_of_ours_is_refused_at_once()
    {
        File.WriteAllText(Path.Combine(_folder, "ids.db"), "Dear diary, this is no database but a letter of some length.");

        var refused = Assert.Throws<InvalidOptionsException>(() => Open());
        Assert.StartsWith($"Idempotency__Path: {_folder}/ids.db can't be opened (SQLite Error 26", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_database_whose_table_is_none_of_ours_is_refused_at_once_and_left_as_it_is()
    {
        Run("CREATE TABLE completed (id TEXT PRIMARY KEY, what TEXT)");

        Assert.Throws<InvalidOptionsException>(() => Open());
        Assert.Equal("delete", Run("PRAGMA journal_mode"));
    }

    [Theory]
    [InlineData("CREATE TABLE customers (id INTEGER PRIMARY KEY)")]
    [InlineData("CREATE VIEW completed AS SELECT 1")]
    public void Another_programs_database_is_refused_at_once_and_left_as_it_is(string layout)
    {
        Run(layout);

        var refused = Assert.Throws<InvalidOptionsException>(() => Open());
        Assert.Equal(
            $"Idempotency__Path: {_folder}/ids.db can't be opened (It holds tables, and none of ours.); it is another program's, or one has changed it: set a file of its own.",
            refused.Message.TrimEnd());
        Assert.Equal(1L, Run("SELECT count(*) FROM sqlite_schema"));
    }

    [Fact]
    public async Task A_file_of_ours_to_which_somebody_has_added_a_table_is_ours()
    {
        await Open().DisposeAsync();
        Run("CREATE TABLE notes (text TEXT)");

        await using var store = Open();
        await store.RememberAsync("orders", "a", default);
        Assert.Equal("a", Kept());
    }

    // Whoever may do everything may write to any file: to him, too, SQLite's own mark says that it is not to be written to.
    [Fact]
    public async Task A_file_that_may_only_be_read_is_refused_at_once()
    {
        await Open().DisposeAsync();
        using (var file = File.OpenWrite(Path.Combine(_folder, "ids.db")))
        {
            file.Position = 18;
            file.WriteByte(3);
        }

        var refused = Assert.Throws<InvalidOptionsException>(() => Open());
        Assert.Contains("readonly", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Settings_that_would_keep_nothing_are_refused_before_a_file_is_made()
    {
        var refused = Assert.Throws<InvalidOptionsException>(() => Open(TimeSpan.Zero, keepMost: 0));

        Assert.Equal(["Idempotency__KeepFor", "Idempotency__KeepMost"], refused.Errors.Select(error => error.Setting));
        Assert.Empty(Directory.GetFiles(_folder));
    }

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    public void One_without_a_file_is_refused(string path)
    {
        var refused = Assert.Throws<InvalidOptionsException>(() => new SqliteIdempotencyStore(new() { Path = path }));

        var error = Assert.Single(refused.Errors);
        Assert.Equal("Idempotency__Path", error.Setting);
        Assert.Contains("set a file", error.Problem, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(":memory:")]
    [InlineData("file::memory:")]
    [InlineData("file:holdfast.db?mode=memory")]
    public async Task A_path_is_a_file_even_where_SQLite_knows_another_meaning(string path)
    {
        try
        {
            await using (var store = new SqliteIdempotencyStore(new() { Path = path }))
                await store.RememberAsync("orders", "a", default);

            Assert.True(File.Exists(path));
            await using var next = new SqliteIdempotencyStore(new() { Path = path });
            Assert.True(await next.ContainsAsync("orders", "a", default));
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task What_was_told_while_the_clock_was_ahead_is_kept_no_longer_than_the_rest_once_it_is_set_right()
    {
        await using (var earlier = Open(keepFor: TimeSpan.FromHours(1), time: Ahead(TimeSpan.FromMinutes(50))))
            await earlier.RememberAsync("orders", "a", default);

        await using var store = Open(keepFor: TimeSpan.FromHours(1));
        await store.RememberAsync("orders", "b", default);
        Assert.True(await store.ContainsAsync("orders", "a", default));
        _time.Advance(TimeSpan.FromMinutes(70));
        Assert.False(await store.ContainsAsync("orders", "a", default));

        await store.RememberAsync("orders", "c", default);
        Assert.Equal("c", Kept());
    }

    [Fact]
    public async Task What_was_kept_outlives_a_clock_that_is_far_behind_for_a_while()
    {
        var right = Ahead(TimeSpan.FromDays(30));
        await using (var before = Open(keepFor: TimeSpan.FromHours(1), time: right))
            await before.RememberAsync("orders", "a", default);
        await using (var behind = Open(keepFor: TimeSpan.FromHours(1)))
            await behind.RememberAsync("orders", "b", default);

        await using var after = Open(keepFor: TimeSpan.FromHours(1), time: right);
        await after.RememberAsync("orders", "c", default);
        Assert.True(await after.ContainsAsync("orders", "a", default));
    }

    [Fact]
    public async Task A_host_that_ends_without_waiting_closes_it_too()
    {
        SqliteIdempotencyStore store;
        using (var services = new ServiceCollection().AddSingleton(_ => Open()).BuildServiceProvider())
        {
            store = services.GetRequiredService<SqliteIdempotencyStore>();
            await store.RememberAsync("orders", "a", default);
        }

        await Assert.ThrowsAsync<ObjectDisposedException>(() => store.RememberAsync("orders", "b", default).AsTask());
        Assert.Equal("a", Kept());
    }

    [Fact]
    public async Task A_file_that_hangs_keeps_nobody_from_ending()
    {
        using var time = new Hanging(_time);
        var store = Open(time: time);
        var remembering = store.RememberAsync("orders", "a", default).AsTask();

        var end = store.DisposeAsync().AsTask();
        _time.Advance(TimeSpan.FromSeconds(2.9));
        Assert.False(end.IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(0.1));
        await end.WaitAsync(s_patience);
        Assert.False(remembering.IsCompleted);
        Assert.Contains("hangs", Assert.Single(_log), StringComparison.Ordinal);

        time.GoOn();
        await remembering;
        await store.DisposeAsync();
    }

    [Fact]
    public async Task Once_it_is_closed_all_that_it_remembers_is_in_the_one_file()
    {
        await using (var store = Open())
            await store.RememberAsync("orders", "a", default);

        Assert.Equal([Path.Combine(_folder, "ids.db")], Directory.GetFiles(_folder));
        Assert.Equal("a", Kept());
    }

    [Fact]
    public async Task Once_it_is_closed_it_takes_nothing_more()
    {
        var store = Open();
        await store.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => store.RememberAsync("orders", "a", default).AsTask());
    }

    private SqliteIdempotencyStore Open(TimeSpan? keepFor = null, long keepMost = 10_000, TimeProvider? time = null) =>
        new(new() { Path = Path.Combine(_folder, "ids.db"), KeepFor = keepFor ?? TimeSpan.FromDays(1), KeepMost = keepMost, TimeProvider = time ?? _time, Log = _log });

    private static VirtualTime Ahead(TimeSpan by)
    {
        var time = new VirtualTime();
        time.Advance(by);
        return time;
    }

    /// <summary>What this process has open of the folder.</summary>
    private string[] Held() =>
        [.. Directory.GetFiles("/proc/self/fd").Select(file => new FileInfo(file).LinkTarget).OfType<string>().Where(target => target.StartsWith(_folder, StringComparison.Ordinal))];

    private string Kept() => (string)Run("SELECT group_concat(id, '') FROM (SELECT id FROM completed ORDER BY number)")!;

    private long Count() => (long)Run("SELECT count(*) FROM completed")!;

    private object? Run(string text)
    {
        using var connection = new SqliteConnection($"Data Source={Path.Combine(_folder, "ids.db")};Pooling=False");
        connection.Open();
        using var command = connection.CreateCommand();
        command.CommandText = text;
        return command.ExecuteScalar();
    }

    /// <summary>A clock that hangs whoever asks it what time it is, as a file would: the store's thread, and no other.</summary>
    private sealed class Hanging(VirtualTime time) : TimeProvider, IDisposable
    {
        private readonly ManualResetEvent _goesOn = new(false);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => time.CreateTimer(callback, state, dueTime, period);

        public override DateTimeOffset GetUtcNow()
        {
            _goesOn.WaitOne();
            return time.GetUtcNow();
        }

        public void GoOn() => _goesOn.Set();

        public void Dispose() => _goesOn.Dispose();
    }
}
