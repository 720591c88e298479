using Holdfast.Tests.Unit.Worker.Settings;
using OpenTelemetry.Exporter;

namespace Holdfast.Tests.Unit.Worker.Otlp;

public sealed class OtlpHeadersTests
{
    [Theory]
    [InlineData("a=b", "a: b")]
    [InlineData("x-tags=a%2Cb", "x-tags: a,b")]
    [InlineData("a=1,,b=2", "a: 1", "b: 2")]
    [InlineData(",a=1,", "a: 1")]
    [InlineData(" a = 1 , b = 2 ", "a: 1", "b: 2")]
    [InlineData("authorization=Basic%20dXNlcjpw==", "Authorization: Basic dXNlcjpw==")]
    [InlineData("a=%zz", "a: %zz")]
    [InlineData("a=1,a=2", "a: 1, 2")]
    [InlineData("a=", "a: ")]
    public void What_the_standard_allows_is_sent(string set, params string[] headers)
    {
        var target = Reading.Read("OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317", $"OTEL_EXPORTER_OTLP_HEADERS={set}").Otel.Traces!;

        using var traces = new OtlpTraceExporter(target.Options());
        using var metrics = new OtlpMetricExporter(target.Options());
        using var client = target.Options().HttpClientFactory();
        Assert.Equal(headers, client.DefaultRequestHeaders.Select(header => $"{header.Key}: {string.Join(", ", header.Value)}"));
    }

    [Theory]
    [InlineData("s3cret", "It is no list of headers; set pairs such as name=value,other=value.")]
    [InlineData("=s3cret", "It is no list of headers; set pairs such as name=value,other=value.")]
    [InlineData("a=1,s3c ret=1", "The header at place 2 can't be sent; set a name without spaces, once, that is none of the body's, and a value of ASCII in one line.")]
    [InlineData("a=s3cret%0Ab", "The header at place 1 can't be sent; set a name without spaces, once, that is none of the body's, and a value of ASCII in one line.")]
    [InlineData("a=s3cret%C3%A9", "The header at place 1 can't be sent; set a name without spaces, once, that is none of the body's, and a value of ASCII in one line.")]
    [InlineData("content-type=s3cret", "The header at place 1 can't be sent; set a name without spaces, once, that is none of the body's, and a value of ASCII in one line.")]
    [InlineData("authorization=a,authorization=s3cret", "The header at place 2 can't be sent; set a name without spaces, once, that is none of the body's, and a value of ASCII in one line.")]
    [InlineData("user-agent=s3cret", "The SDK sends a user-agent of its own; leave that one out.")]
    public void What_can_not_be_sent_is_refused_by_the_settings_name_and_not_shown(string set, string problem)
    {
        Assert.Equal($"OTEL_EXPORTER_OTLP_HEADERS: {problem}", Assert.Single(Reading.Mistakes($"OTEL_EXPORTER_OTLP_HEADERS={set}")));
        Assert.Contains($"OTEL_EXPORTER_OTLP_METRICS_HEADERS: {problem}", Reading.Mistakes($"OTEL_EXPORTER_OTLP_METRICS_HEADERS={set}"));
    }
}
