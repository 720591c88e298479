using Holdfast.Idempotency.Sqlite;
using Microsoft.Data.Sqlite;

namespace Holdfast.Tests.Unit.Idempotency;

public sealed class FailureTextTests
{
    [Theory]
    [InlineData(1, "move it away with its -wal and -shm")]
    [InlineData(5, "Another program holds it")]
    [InlineData(8, "Let the worker's user write to it")]
    [InlineData(11, "delete it with its -wal and -shm")]
    [InlineData(13, "Make room on its disk.")]
    [InlineData(14, "Let the worker's user write to it")]
    [InlineData(19, "move it away with its -wal and -shm")]
    [InlineData(26, "delete it with its -wal and -shm")]
    public void What_helps_is_told_with_the_file_and_its_setting(int code, string cure)
    {
        var told = Assert.IsType<SqliteException>(FailureText.WithCure(new SqliteException("SQLite's own word.", code, code + 256), "/data/completed.db"));

        Assert.StartsWith("/data/completed.db (Idempotency__Path): SQLite's own word. ", told.Message, StringComparison.Ordinal);
        Assert.Contains(cure, told.Message, StringComparison.Ordinal);
        Assert.Equal((code, code + 256), (told.SqliteErrorCode, told.SqliteExtendedErrorCode));
    }

    [Fact]
    public void What_nobody_can_name_a_cure_for_or_is_not_of_SQLite_gets_no_cure()
    {
        var other = new InvalidOperationException("Another one's.");

        Assert.Same(other, FailureText.WithCure(other, "/data/completed.db"));
        Assert.Equal("/data/completed.db (Idempotency__Path): It fails.", FailureText.WithCure(new SqliteException("It fails.", 10), "/data/completed.db").Message);
    }

    [Theory]
    [InlineData(1, "move it away with its -wal and -shm")]
    [InlineData(5, "another program holds it")]
    [InlineData(8, "let the worker's user write to it")]
    [InlineData(11, "move it away with its -wal and -shm")]
    [InlineData(13, "make room on its disk")]
    [InlineData(14, "set a file of its own, in a folder that is there")]
    [InlineData(26, "move it away with its -wal and -shm")]
    public void At_the_start_too_and_a_file_that_may_be_another_ones_is_never_to_be_deleted(int code, string cure)
    {
        var refusal = FailureText.Refusal(new SqliteException("SQLite's own word.", code, code + 256), "/data/completed.db");

        Assert.Equal("Idempotency__Path", refusal.Setting);
        Assert.StartsWith("/data/completed.db can't be opened (SQLite's own word.); ", refusal.Problem, StringComparison.Ordinal);
        Assert.Contains(cure, refusal.Problem, StringComparison.Ordinal);
        Assert.DoesNotContain("delete", refusal.Problem, StringComparison.Ordinal);
    }
}
