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
