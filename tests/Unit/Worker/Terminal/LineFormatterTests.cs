using Holdfast.Worker.Terminal;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Worker.Terminal;

public sealed class LineFormatterTests
{
    [Theory]
    [InlineData(LogLevel.Information, "12:00:00.250 two lines\n")]
    [InlineData(LogLevel.Warning, "12:00:00.250 warning two lines\n")]
    [InlineData(LogLevel.Error, "12:00:00.250 ERROR two lines\n")]
    public void An_entry_is_one_line_with_its_time_and_its_weight(LogLevel level, string line) =>
        Assert.Equal(line, Write(level, "two\nlines", null));

    [Fact]
    public void A_cause_is_told_on_the_same_line() =>
        Assert.Equal(
            "12:00:00.250 warning can't send: IOException: gone: TimeoutException: late\n",
            Write(LogLevel.Warning, "can't send", new IOException("gone", new TimeoutException("late"))));

    [Theory]
    [InlineData("id \u001b[2J\u001b[31mred", "id \\u001b[2J\\u001b[31mred")]
    [InlineData("one\r\n12:00:00.000 CRITICAL forged", "one 12:00:00.000 CRITICAL forged")]
    [InlineData("a\u2028b\u0085c", "a b c")]
    [InlineData("bell \a back \b null \0", "bell \\u0007 back \\u0008 null \\u0000")]
    [InlineData("turned \u202e round", "turned \\u202e round")]
    public void What_a_stranger_wrote_can_neither_begin_a_line_nor_steer_the_terminal(string text, string shown)
    {
        Assert.Equal($"12:00:00.250 {shown}\n", Write(LogLevel.Information, text, null));
        Assert.Equal($"12:00:00.250 bad: IOException: {shown}\n", Write(LogLevel.Information, "bad", new IOException(text)));
    }

    [Fact]
    public void A_line_has_an_end_whatever_is_told() =>
        Assert.InRange(Write(LogLevel.Information, new string('x', 1_000_000), null).Length, 1, 5_000);

    [Fact]
    public void An_error_brings_the_way_to_it()
    {
        var thrown = Assert.Throws<IOException>((Action)(() => throw new IOException("gone")));

        Assert.Contains(nameof(An_error_brings_the_way_to_it), Write(LogLevel.Error, "broken", thrown));
        Assert.DoesNotContain(nameof(An_error_brings_the_way_to_it), Write(LogLevel.Warning, "broken", thrown));
    }

    private static string Write(LogLevel level, string message, Exception? exception)
    {
        using var writer = new StringWriter();
        new LineFormatter(new Noon()).Write(new LogEntry<string>(level, "Some.Category", 0, message, exception, (m, _) => m), null, writer);
        return writer.ToString();
    }

    private sealed class Noon : TimeProvider
    {
        public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

        public override DateTimeOffset GetUtcNow() => new(2026, 1, 1, 12, 0, 0, 250, TimeSpan.Zero);
    }
}
