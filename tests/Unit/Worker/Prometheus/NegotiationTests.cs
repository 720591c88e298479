using Holdfast.Worker.Prometheus;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

public sealed class NegotiationTests
{
    private const string Prometheus3 =
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";

    [Theory]
    [InlineData(Prometheus3, true)]
    [InlineData("application/openmetrics-text; version=1.0.0; charset=utf-8", true)]
    [InlineData("application/openmetrics-text", true)]
    [InlineData("application/openmetrics-text;version=\"1.0.0\"", true)]
    [InlineData("text/plain;version=0.0.4;q=0.5, application/openmetrics-text;version=1.0.0", true)]
    [InlineData("text/plain;version=0.0.4, application/openmetrics-text;version=1.0.0;q=0.5", false)]
    [InlineData("application/openmetrics-text;version=1.0.0;q=0", false)]
    [InlineData("application/openmetrics-text;version=2.0.0", false)]
    [InlineData("text/html,application/xhtml+xml,*/*;q=0.8", false)]
    [InlineData("application/json", false)]
    [InlineData("text/plain, application/openmetrics-text", true)]
    [InlineData("*/*", false)]
    [InlineData("application/openmetrics-text;q=0.5, */*", false)]
    [InlineData("application/openmetrics-text;q=0.5, text/*;q=0.9", false)]
    [InlineData("application/openmetrics-text;q=0.5, text/plain;q=0.1, */*", true)]
    [InlineData("nonsense;;;", false)]
    [InlineData(null, false)]
    public void The_scraper_gets_the_format_that_it_would_rather_have(string? accept, bool isOpen) =>
        Assert.Equal(isOpen ? ExpositionFormat.OpenMetrics : ExpositionFormat.Text, Negotiation.Choose(accept));
}
