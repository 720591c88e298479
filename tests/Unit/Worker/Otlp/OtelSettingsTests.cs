using Holdfast.Tests.Unit.Worker.Settings;
using Holdfast.Worker.Otlp;
using OpenTelemetry.Exporter;

namespace Holdfast.Tests.Unit.Worker.Otlp;

public sealed class OtelSettingsTests
{
    [Fact]
    public void Nothing_is_sent_unless_it_is_asked_for()
    {
        var otel = Reading.Read().Otel;
        Assert.Equal((null, null), (otel.Traces, otel.Metrics));
    }

    [Fact]
    public void One_address_serves_traces_and_metrics()
    {
        var otel = Reading.Read("OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317", "OTEL_EXPORTER_OTLP_HEADERS=a=b").Otel;

        Assert.Equal((new Uri("http://collector:4317"), OtlpExportProtocol.Grpc, "a=b", 10_000), Parts(otel.Traces));
        Assert.Equal(Parts(otel.Traces), Parts(otel.Metrics));
    }

    [Theory]
    [InlineData("http://collector:4318", "http://collector:4318/v1/traces")]
    [InlineData("https://collector/base/", "https://collector/base/v1/traces")]
    public void Over_HTTP_each_kind_has_its_path_below_the_common_address(string address, string traces) =>
        Assert.Equal(traces, Reading.Read($"OTEL_EXPORTER_OTLP_ENDPOINT={address}", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf").Otel.Traces!.Endpoint.AbsoluteUri);

    [Fact]
    public void What_is_said_of_one_kind_goes_before_what_is_said_of_all()
    {
        var otel = Reading.Read(
            "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://traces:4318/as-it-is",
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf",
            "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=500").Otel;

        Assert.Equal((new Uri("http://traces:4318/as-it-is"), OtlpExportProtocol.HttpProtobuf, "", 500), Parts(otel.Traces));
        Assert.Equal((new Uri("http://collector:4317"), OtlpExportProtocol.Grpc, "", 10_000), Parts(otel.Metrics));
    }

    [Theory]
    [InlineData("", OtlpExportCompression.None, OtlpExportCompression.None)]
    [InlineData("OTEL_EXPORTER_OTLP_COMPRESSION=gzip", OtlpExportCompression.GZip, OtlpExportCompression.GZip)]
    [InlineData("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=GZIP", OtlpExportCompression.GZip, OtlpExportCompression.None)]
    [InlineData("OTEL_EXPORTER_OTLP_COMPRESSION=gzip OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=none", OtlpExportCompression.None, OtlpExportCompression.GZip)]
    public void What_is_sent_is_compressed_where_that_is_asked_for(string set, OtlpExportCompression traces, OtlpExportCompression metrics)
    {
        var otel = Reading.Read(["OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317", .. set.Split(' ', StringSplitOptions.RemoveEmptyEntries)]).Otel;

        Assert.Equal((traces, metrics), (otel.Traces!.Options().Compression, otel.Metrics!.Options().Compression));
    }

    [Theory]
    [InlineData("OTEL_TRACES_EXPORTER=none", false, true)]
    [InlineData("OTEL_METRICS_EXPORTER=none", true, false)]
    [InlineData("OTEL_METRICS_EXPORTER=prometheus", true, false)]
    [InlineData("OTEL_METRICS_EXPORTER=otlp,prometheus", true, true)]
    [InlineData("OTEL_SDK_DISABLED=true", false, false)]
    public void Each_kind_can_be_switched_off(string set, bool traces, bool metrics)
    {
        var otel = Reading.Read("OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317", set).Otel;
        Assert.Equal((traces, metrics), (otel.Traces is not null, otel.Metrics is not null));
    }

    [Fact]
    public void Without_an_address_it_is_this_machines_collector() =>
        Assert.Equal(new Uri("http://localhost:4317"), Reading.Read("OTEL_TRACES_EXPORTER=otlp").Otel.Traces!.Endpoint);

    [Theory]
    [InlineData("OTEL_EXPORTER_OTLP_ENDPOINT=collector:4317", "It is no address; set one such as http://localhost:4317.")]
    [InlineData("OTEL_EXPORTER_OTLP_ENDPOINT=s3cret", "It is no address; set one such as http://localhost:4317.")]
    [InlineData("OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "'http/json' is unknown; set grpc or http/protobuf.")]
    [InlineData("OTEL_EXPORTER_OTLP_TIMEOUT=10s", "'10s' is no time; set milliseconds, such as 10000.")]
    [InlineData("OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE=s3cret", "The SDK has none for one kind of telemetry; set OTEL_EXPORTER_OTLP_CERTIFICATE, which is for all.")]
    [InlineData("OTEL_EXPORTER_OTLP_COMPRESSION=zip", "'zip' is unknown; set gzip or none.")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_COMPRESSION=zstd", "'zstd' is unknown; set gzip or none.")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=sometimes", "'sometimes' is unknown; set cumulative, delta or lowmemory.")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION=none", "'none' is unknown; set explicit_bucket_histogram or base2_exponential_bucket_histogram.")]
    [InlineData("OTEL_EXPORTER_OTLP_HEADERS=s3cret", "It is no list of headers; set pairs such as name=value,other=value.")]
    [InlineData("OTEL_TRACES_EXPORTER=zipkin", "'zipkin' is unknown; set otlp or none.")]
    [InlineData("OTEL_TRACES_SAMPLER=sometimes", "'sometimes' is unknown; set always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or parentbased_traceidratio.")]
    [InlineData("OTEL_TRACES_SAMPLER_ARG=1%", "'1%' is no part of all traces; set a number from 0 to 1, such as 0.01.")]
    [InlineData("OTEL_TRACES_SAMPLER_ARG=2", "'2' is no part of all traces; set a number from 0 to 1, such as 0.01.")]
    [InlineData("OTEL_METRIC_EXPORT_INTERVAL=x", "'x' is no number that it can be; set a whole one from 1 on, such as 60000.")]
    [InlineData("OTEL_METRIC_EXPORT_TIMEOUT=-5", "'-5' is no number that it can be; set a whole one from 1 on, such as 30000.")]
    [InlineData("OTEL_BSP_SCHEDULE_DELAY=abc", "'abc' is no number that it can be; set a whole one from 1 on, such as 5000.")]
    [InlineData("OTEL_BSP_MAX_QUEUE_SIZE=0", "'0' is no number that it can be; set a whole one from 1 to 1000000, such as 2048.")]
    [InlineData("OTEL_BSP_MAX_QUEUE_SIZE=2147483647", "'2147483647' is no number that it can be; set a whole one from 1 to 1000000, such as 2048.")]
    [InlineData("OTEL_BSP_MAX_EXPORT_BATCH_SIZE=4096", "A batch of 4096 is more than the queue of 2048 holds; raise OTEL_BSP_MAX_QUEUE_SIZE, or lower OTEL_BSP_MAX_EXPORT_BATCH_SIZE.")]
    [InlineData("OTEL_BSP_MAX_QUEUE_SIZE=256", "A batch of 512 is more than the queue of 256 holds; raise OTEL_BSP_MAX_QUEUE_SIZE, or lower OTEL_BSP_MAX_EXPORT_BATCH_SIZE.")]
    [InlineData("OTEL_SDK_DISABLED=perhaps", "'perhaps' can't be read; set true or false.")]
    [InlineData("OTEL_RESOURCE_ATTRIBUTES=team", "'team' is no attribute; set pairs such as deployment.environment.name=production,team=orders.")]
    public void A_wrong_value_is_told_in_a_line_that_names_its_cure(string set, string problem) =>
        Assert.Equal($"{set.Split('=')[0]}: {problem}", Assert.Single(Reading.Mistakes(set)));

    [Theory]
    [InlineData("", 1, "ParentBased{AlwaysOnSampler}")]
    [InlineData("OTEL_TRACES_SAMPLER=always_on", 1, "AlwaysOnSampler")]
    [InlineData("OTEL_TRACES_SAMPLER=always_off", 0, "AlwaysOffSampler")]
    [InlineData("OTEL_TRACES_SAMPLER=parentbased_always_off", 0, "ParentBased{AlwaysOffSampler}")]
    [InlineData("OTEL_TRACES_SAMPLER=parentbased_traceidratio OTEL_TRACES_SAMPLER_ARG=0.25", 0.25, "ParentBased{AlwaysOnSampler}")]
    [InlineData("OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=0.25", 0.25, "ParentBased{AlwaysOnSampler}")]
    public void A_ratio_of_what_begins_here_is_taken_before_the_SDK_is_asked(string set, double ratio, string sampler)
    {
        var sampling = Reading.Read(set.Split(' ', StringSplitOptions.RemoveEmptyEntries)).Otel.Sampling;

        Assert.Equal(sampler, sampling.Sampler().Description);
        var roots = sampling.Roots();
        Assert.Equal(ratio, Enumerable.Range(0, 20_000).Count(_ => roots.Take()) / 20_000.0, 0.03);
    }

    private static (Uri, OtlpExportProtocol, string, int) Parts(OtlpTarget? target) =>
        (target!.Endpoint, target.Protocol, string.Join(',', target.Headers.Select(header => $"{header.Key}={header.Value}")), target.TimeoutMilliseconds);
}
