using Holdfast.Tests.Unit.Worker.Settings;
using Holdfast.Worker.Otlp;
using Microsoft.Extensions.Configuration;
using OpenTelemetry.Exporter;

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

    [Theory]
    [InlineData("OTEL_TRACES_SAMPLER_ARG=0.1", true)]
    [InlineData("OTEL_TRACES_SAMPLER_ARG=0.1 OTEL_TRACES_SAMPLER=parentbased_always_on", true)]
    [InlineData("OTEL_TRACES_SAMPLER_ARG=0.1 OTEL_TRACES_SAMPLER=always_off", true)]
    [InlineData("OTEL_TRACES_SAMPLER_ARG=0.1 OTEL_TRACES_SAMPLER=ParentBased_TraceIdRatio", false)]
    [InlineData("OTEL_TRACES_SAMPLER_ARG=0.1 OTEL_TRACES_SAMPLER=traceidratio", false)]
    public void A_part_of_all_traces_has_effect_where_a_ratio_is_sampled(string set, bool isIdle) =>
        Assert.Equal(isIdle ? ["OTEL_TRACES_SAMPLER_ARG"] : [], Reading.Read(set.Split(' ')).Otel.WithoutEffect);

    [Theory]
    [InlineData("OTEL_EXPORTER_OTLP_ENDPONT", "OTEL_EXPORTER_OTLP_ENDPOINT")]
    [InlineData("OTEL_EXPORTER_OTLP_TRACE_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS")]
    [InlineData("OTEL_SERVIC_NAME", "OTEL_SERVICE_NAME")]
    [InlineData("OTEL_TRACES_SAMPLRE", "OTEL_TRACES_SAMPLER")]
    [InlineData("OTEL_BSP_MAX_QUEUE_SIZ", "OTEL_BSP_MAX_QUEUE_SIZE")]
    [InlineData("OTEL_METRICS_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_INTERVAL")]
    [InlineData("otel_sdk_disable", "OTEL_SDK_DISABLED")]
    public void One_that_is_misspelt_is_named_with_what_was_meant(string written, string meant) =>
        Assert.Equal($"{written} (did you mean {meant}?)", Assert.Single(Reading.Read($"{written}=1").Otel.WithoutEffect));

    [Theory]
    [InlineData("OTEL_COLLECTOR_PORT")]
    [InlineData("OTEL_SERVICE_PORT")]
    [InlineData("OTEL_LOG_LEVEL")]
    public void One_that_is_near_to_none_is_somebody_elses(string name) => Assert.Empty(Reading.Read($"{name}=1").Otel.WithoutEffect);

    [Theory]
    [InlineData("OTEL_EXPORTER_OTLP_CERTIFICATE")]
    [InlineData("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE")]
    [InlineData("OTEL_EXPORTER_OTLP_CLIENT_KEY")]
    public void A_certificate_has_effect_where_TLS_is_spoken_with_one_that_is_sent_to(string name)
    {
        var set = Variable(name, "ca.pem");
        var (plain, secure) = (To("http://collector:4317"), To("https://collector:4317"));

        Assert.Equal(name, Assert.Single(WithoutEffect.Of(set, plain, plain)));
        Assert.Equal(name, Assert.Single(WithoutEffect.Of(set, null, plain)));
        Assert.Empty(WithoutEffect.Of(set, plain, secure));
        Assert.Empty(WithoutEffect.Of(set, null, null));
    }

    [Fact]
    public void Settings_know_where_telemetry_is_sent_when_they_say_what_has_no_effect()
    {
        const string Authority = "OTEL_EXPORTER_OTLP_CERTIFICATE";
        var set = Variable(Authority, "nowhere.pem", ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317"));

        Assert.Equal(Authority, Assert.Single(OtelSettings.Read(set, out _).WithoutEffect));
    }

    [Theory]
    [InlineData("disk")]
    [InlineData("DISK")]
    public void A_folder_for_what_was_not_taken_has_effect_where_it_is_kept_on_disk(string kept)
    {
        const string Folder = "OTEL_DOTNET_EXPERIMENTAL_OTLP_DISK_RETRY_DIRECTORY_PATH";
        const string Retry = "OTEL_DOTNET_EXPERIMENTAL_OTLP_RETRY";

        Assert.Equal(Folder, Assert.Single(WithoutEffect.Of(Variable(Folder, "/tmp"))));
        Assert.Equal(Folder, Assert.Single(WithoutEffect.Of(Variable(Folder, "/tmp", (Retry, "in_memory")))));
        Assert.Empty(WithoutEffect.Of(Variable(Folder, "/tmp", (Retry, kept))));
    }

    private static OtlpTarget To(string address) => new(new Uri(address), OtlpExportProtocol.Grpc, [], 10_000, OtlpExportCompression.None);

    private static IConfiguration Variable(string name, string value, params (string Name, string Value)[] others) =>
        new ConfigurationBuilder().AddInMemoryCollection(others.Append((name, value)).ToDictionary(one => one.Item1, one => (string?)one.Item2)).Build();
}
