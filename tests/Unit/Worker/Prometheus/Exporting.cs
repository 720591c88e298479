using System.Diagnostics.Metrics;
using System.Text;
using Holdfast.Worker.Prometheus;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

/// <summary>A meter of one's own, and what the exporter makes of it.</summary>
internal sealed class Exporting : IDisposable
{
    private readonly MeterProvider _provider;

    public Exporting(Action<MeterProviderBuilder>? configure = null)
    {
        // The name tells meters of tests that run at the same time apart, and is taken out of what a test compares.
        Name = $"test-{Guid.NewGuid():N}";
        Meter = new Meter(Name);
        Exporter = new PrometheusExporter(Log);
        var builder = Sdk.CreateMeterProviderBuilder()
            .ConfigureResource(r => r.Clear())
            .AddMeter(Name)
            .SetExemplarFilter(ExemplarFilterType.TraceBased);
        configure?.Invoke(builder);
        _provider = builder.AddPrometheusExporter(Exporter).Build();
    }

    public string Name { get; }

    public Meter Meter { get; }

    public PrometheusExporter Exporter { get; }

    public Notes<PrometheusExporter> Log { get; } = new();

    public string Text => Write(ExpositionFormat.Text);

    public string OpenMetrics => Write(ExpositionFormat.OpenMetrics);

    public void Dispose()
    {
        Meter.Dispose();
        _provider.Dispose();
    }

    private string Write(ExpositionFormat format)
    {
        var text = new Utf8Text();
        Assert.True(Exporter.Write(text, format), string.Join('\n', Log.Lines));
        var written = Encoding.UTF8.GetString(text.Written.Span);
        text.ReturnToPool();
        ExpositionCheck.Passes(written, format == ExpositionFormat.OpenMetrics);
        return written.Replace(Name, "test");
    }
}
