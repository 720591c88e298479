using System.Diagnostics;
using System.Text;
using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class TraceContextTests
{
    private const string Trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    private const string Span = "00f067aa0ba902b7";
    private const string Parent = $"00-{Trace}-{Span}-01";

    [Fact]
    public void What_a_sender_wrote_is_read_with_its_state()
    {
        var context = Read(("traceparent", Parent), ("tracestate", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"));

        Assert.Equal((Trace, Span), (context.TraceId.ToHexString(), context.SpanId.ToHexString()));
        Assert.Equal((ActivityTraceFlags.Recorded, true, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"), (context.TraceFlags, context.IsRemote, context.TraceState));
    }

    [Fact]
    public void Text_that_came_as_bytes_is_text() =>
        Assert.Equal(Trace, Read(("traceparent", Encoding.ASCII.GetBytes(Parent))).TraceId.ToHexString());

    [Fact]
    public void A_later_version_of_the_standard_is_read_as_far_as_it_is_known() =>
        Assert.Equal(Trace, Read(("traceparent", $"cc-{Trace}-{Span}-01-what-the-future-brings")).TraceId.ToHexString());

    [Theory]
    [InlineData(null)]
    [InlineData("no context at all")]
    public void Azures_older_name_serves_where_the_standards_does_not(string? standard) =>
        Assert.Equal(Trace, Read(("traceparent", standard), ("Diagnostic-Id", Parent)).TraceId.ToHexString());

    [Theory]
    [InlineData("")]
    [InlineData("00")]
    [InlineData($"00-{Trace}-{Span}")]
    [InlineData($"00-{Trace}-{Span}-01-more")]
    [InlineData($"ff-{Trace}-{Span}-01")]
    [InlineData($"00-{Trace}-{Span}-zz")]
    [InlineData($"00-00000000000000000000000000000000-{Span}-01")]
    [InlineData($"00-{Trace}-0000000000000000-01")]
    [InlineData("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01")]
    [InlineData("00-4bf92f3577b34da6\n3ce929d0e0e4736-00f067aa0ba902b7-01")]
    [InlineData("|4bf92f3577b34da6.1.")]
    [InlineData(17)]
    [InlineData(true)]
    public void What_is_no_context_counts_as_not_there(object value) =>
        Assert.Equal(default, Read(("traceparent", value), ("Diagnostic-Id", value)));

    [Fact]
    public void A_text_without_end_is_not_even_looked_at() =>
        Assert.Equal(default, Read(("traceparent", $"cc-{Trace}-{Span}-01-" + new string('x', 1_000_000))));

    [Theory]
    [InlineData("rojo=1\nset-cookie: x")]
    [InlineData("rojo=\u001b[31m")]
    [InlineData("rojo=\u00e9")]
    public void State_that_is_no_plain_text_is_left_out_and_the_rest_stays(string state) =>
        Assert.Equal((Trace, null), (Read(("traceparent", Parent), ("tracestate", state)).TraceId.ToHexString(), Read(("traceparent", Parent), ("tracestate", state)).TraceState));

    [Fact]
    public void State_without_end_is_left_out() =>
        Assert.Null(Read(("traceparent", Parent), ("tracestate", "a=" + new string('x', 100_000))).TraceState);

    private static ActivityContext Read(params (string Name, object? Value)[] properties) =>
        TraceContext.Of(new Message { Id = "1", Properties = properties.ToDictionary(p => p.Name, p => p.Value) });
}
