using Holdfast.Idempotency.Sqlite;
using Microsoft.Data.Sqlite;

namespace Holdfast.Tests.Unit.Idempotency;

public sealed class FailureTextTests
{
    [Theory]
    [InlineData(1, "it is another program's, or one has changed it: set a file of its own.")]
    [InlineData(5, "another program holds it: let that end, or set a file of its own.")]
    [InlineData(8, "let its folder be there, and let the worker's user write to that, to it and to what lies beside it, or set another file.")]
    [InlineData(10, "see to its disk, or set a file on another.")]
    [InlineData(11, "it is broken, or none of ours: move it away with its -wal and -shm, and a new one is made, or set a file of its own.")]
    [InlineData(13, "make room on its disk.")]
    [InlineData(14, "let its folder be there, and let the worker's user write to that, to it and to what lies beside it, or set another file.")]
    [InlineData(19, "it is another program's, or one has changed it: set a file of its own.")]
    [InlineData(26, "it is broken, or none of ours: move it away with its -wal and -shm, and a new one is made, or set a file of its own.")]
    public void What_helps_is_told_with_the_file_and_its_setting_at_the_start_and_in_a_run(int code, string cure)
    {
        var problem = new SqliteException("SQLite's own word.", code, code + 256);
        var refusal = FailureText.Refusal(problem, "/data/completed.db");
        var told = Assert.IsType<SqliteException>(FailureText.WithCure(problem, "/data/completed.db"));

        Assert.Equal(("Idempotency__Path", $"/data/completed.db can't be opened (SQLite's own word.); {cure}"), (refusal.Setting, refusal.Problem));
        Assert.Equal($"Idempotency__Path: /data/completed.db can't be used (SQLite's own word.); {cure}", told.Message);
        Assert.Equal((code, code + 256), (told.SqliteErrorCode, told.SqliteExtendedErrorCode));
    }

    [Fact]
    public void What_is_not_of_SQLite_is_told_as_it_is()
    {
        var other = new InvalidOperationException("Another one's.");

        Assert.Same(other, FailureText.WithCure(other, "/data/completed.db"));
    }
}
