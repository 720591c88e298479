using Holdfast.Idempotency.Sqlite;
using Microsoft.Data.Sqlite;

namespace Holdfast.Tests.Unit.Idempotency;

public sealed class FailureTextTests
{
    [Theory]
    [InlineData(1, "move it away with its -wal and -shm")]
    [InlineData(8, "Let the worker's user write to it")]
    [InlineData(11, "delete it with its -wal and -shm")]
    [InlineData(13, "Make room on its disk.")]
    [InlineData(26, "delete it with its -wal and -shm")]
    public void What_helps_is_told_with_the_file_and_its_setting(int code, string cure)
    {
        var told = Assert.IsType<SqliteException>(FailureText.WithCure(new SqliteException("SQLite's own word.", code, code + 256), "/data/completed.db"));

        Assert.StartsWith("/data/completed.db (Idempotency__Path): SQLite's own word. ", told.Message, StringComparison.Ordinal);
        Assert.Contains(cure, told.Message, StringComparison.Ordinal);
        Assert.Equal((code, code + 256), (told.SqliteErrorCode, told.SqliteExtendedErrorCode));
    }

    [Fact]
    public void What_time_mends_or_is_not_of_SQLite_gets_no_cure()
    {
        var other = new InvalidOperationException("Another one's.");

        Assert.Same(other, FailureText.WithCure(other, "/data/completed.db"));
        Assert.Equal("/data/completed.db (Idempotency__Path): It is locked.", FailureText.WithCure(new SqliteException("It is locked.", 5), "/data/completed.db").Message);
    }
}
