using Holdfast.Tests.Unit.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Otlp;

public sealed class WithoutEffectTests
{
    [Theory]
    [InlineData("OTEL_PROPAGATORS=b3")]
    [InlineData("OTEL_LOGS_EXPORTER=otlp")]
    [InlineData("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://logs:4317")]
    [InlineData("OTEL_EXPORTER_OTLP_INSECURE=true")]
    [InlineData("OTEL_METRICS_EXEMPLAR_FILTER=always_on")]
    [InlineData("OTEL_EXPORTER_PROMETHEUS_PORT=9464")]
    [InlineData("otel_blrp_max_queue_size=1")]
    public void A_variable_of_the_standard_that_changes_nothing_is_named(string set) =>
        Assert.Equal(set.Split('=')[0], Assert.Single(Reading.Read(set).Otel.WithoutEffect));

    [Theory]
    [InlineData("OTEL_SERVICE_NAME=shop")]
    [InlineData("OTEL_LOGS_EXPORTER=none")]
    [InlineData("OTEL_METRICS_EXEMPLAR_FILTER=trace_based")]
    [InlineData("OTEL_PROPAGATORS=")]
    [InlineData("OTEL_COLLECTOR_PORT_4317_TCP=tcp://10.0.0.1:4317")]
    public void What_has_effect_or_says_what_is_so_anyway_or_is_somebody_elses_is_not(string set) =>
        Assert.Empty(Reading.Read(set).Otel.WithoutEffect);
}
