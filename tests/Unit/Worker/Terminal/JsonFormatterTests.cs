using System.Diagnostics;
using System.Text.Json;
using Holdfast.Consumer;
using Holdfast.Worker.Terminal;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Worker.Terminal;

public sealed class JsonFormatterTests
{
    private const string Hostile = "x\"}\n{\"level\":\"critical\u001b[31m\u2028\ud800";

    [Fact]
    public void An_entry_is_a_line_of_JSON_with_a_field_for_each_thing_that_it_names()
    {
        var line = Assert.Single(Write(log => log.Missed("expired", "order-7", "orders", 3.25, "", "4bf92f3577b34da6a3ce929d0e0e4736")));

        Assert.Equal("warning", line.GetProperty("level").GetString());
        Assert.Equal("Holdfast", line.GetProperty("category").GetString());
        Assert.StartsWith("Lease missed (expired): message order-7 of orders", line.GetProperty("message").GetString());
        Assert.Equal(("expired", "order-7", "orders", 3.25), (Text(line, "reason"), Text(line, "message_id"), Text(line, "queue"), line.GetProperty("seconds").GetDouble()));
        Assert.Equal("4bf92f3577b34da6a3ce929d0e0e4736", Text(line, "trace_id"));
        Assert.True(line.GetProperty("time").GetDateTime() > DateTime.UnixEpoch);
    }

    [Fact]
    public void It_knows_the_span_that_it_was_written_in()
    {
        using var span = new Activity("process").SetIdFormat(ActivityIdFormat.W3C).Start();

        var line = Assert.Single(Write(log => log.HandledBefore("order-7", "orders")));

        Assert.Equal((span.TraceId.ToHexString(), span.SpanId.ToHexString()), (Text(line, "trace_id"), Text(line, "span_id")));
    }

    [Fact]
    public void Where_there_is_no_trace_none_is_told() =>
        Assert.False(Assert.Single(Write(log => log.Missed("expired", "order-7", "orders", 3.25, "", "none"))).TryGetProperty("trace_id", out _));

    [Fact]
    public void What_a_stranger_wrote_stays_inside_its_field()
    {
        var line = Assert.Single(Write(log => log.HandledBefore(Hostile, "orders")));

        Assert.Equal(Hostile.Replace('\ud800', '\ufffd'), Text(line, "message_id"));
        Assert.Equal("information", Text(line, "level"));
    }

    [Fact]
    public void An_error_is_told_with_its_type()
    {
        var line = Assert.Single(Write(log => log.LeaseLoopCrashed(new InvalidOperationException("gone"))));

        Assert.Equal(("critical", "System.InvalidOperationException"), (Text(line, "level"), Text(line, "error_type")));
        Assert.Contains("gone", Text(line, "error"));
    }

    [Fact]
    public void A_line_has_an_end_whatever_is_told() =>
        Assert.InRange(Assert.Single(Write(log => log.HandledBefore(new string('x', 1_000_000), "orders"))).GetRawText().Length, 1, 40_000);

    [Fact]
    public void What_is_cut_is_cut_between_two_letters() =>
        Assert.Equal(new string('x', 15_999) + "...", Text(Assert.Single(Write(log => log.HandledBefore(new string('x', 15_999) + "😀 and more", "orders"))), "message_id"));

    private static string? Text(JsonElement line, string name) => line.GetProperty(name).GetString();

    private static JsonElement[] Write(Action<ILogger> tell)
    {
        using var writer = new StringWriter();
        tell(new Written(writer));
        return [.. writer.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement)];
    }

    private sealed class Written(TextWriter writer) : ILogger
    {
        private readonly JsonFormatter _formatter = new(TimeProvider.System);

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            _formatter.Write(new LogEntry<TState>(logLevel, "Holdfast", eventId, state, exception, formatter), null, writer);
    }
}
