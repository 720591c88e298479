using System.Diagnostics;
using Holdfast.Consumer;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>Writes all metrics as text when a scrape asks for them, on the thread of the scrape.</summary>
[ExportModes(ExportModes.Pull)]
internal sealed partial class PrometheusExporter : BaseExporter<Metric>, IPullMetricExporter
{
    /// <summary>How often to prepare, with pauses in between: .NET compiles once, counts calls, measures what they do, and compiles for good.</summary>
    public const int Preparations = 4;

    // .NET goes a step further with what was called thirty times.
    private const int CallsToNextStep = 32;

    private readonly Lock _gate = new();
    private readonly ILogger<PrometheusExporter> _log;
    private readonly Distributions? _distributions;
    private readonly LabelWriter _labels = new();
    private readonly FamilyWriter _writer;
    private DistributionFamily[] _families = [];
    private FamilyPlan? _plan;
    private Utf8Text? _text;
    private ExpositionFormat _format;
    private bool _hasDoubles;

    public PrometheusExporter(ILogger<PrometheusExporter> log, Distributions? distributions = null)
    {
        (_log, _distributions) = (log, distributions);
        _writer = new FamilyWriter(_labels);
        if (distributions is not null)
            distributions.IsRead = true;
    }

    public Func<int, bool>? Collect { get; set; }

    /// <summary>Writes an exposition; false where it can't.</summary>
    public bool Write(Utf8Text text, ExpositionFormat format)
    {
        // Counters are read here, and would show the trace of whoever asks as the one of what they count.
        var scrape = Activity.Current;
        Activity.Current = null;
        try
        {
            lock (_gate)
            {
                (_text, _format) = (text, format);
                var written = Collect?.Invoke(Timeout.Infinite) ?? false;
                _text = null;
                return written;
            }
        }
        finally
        {
            Activity.Current = scrape;
        }
    }

    /// <summary>Writes what there is, for nobody: so often that .NET makes good code of what a scrape needs before the first one comes.</summary>
    public void Prepare()
    {
        var text = new Utf8Text();
        for (var pass = 0; pass < CallsToNextStep; pass++)
        {
            text.CutTo(0);
            Write(text, (ExpositionFormat)(pass % 2));
        }

        text.ReturnToPool();
    }

    public override ExportResult Export(in Batch<Metric> batch)
    {
        if (_text is not { } text)
            return ExportResult.Success;
        try
        {
            Write(text, in batch);
            return ExportResult.Success;
        }
        catch (Exception e)
        {
            LogFailure(e);
            return ExportResult.Failure;
        }
    }

    private void Write(Utf8Text text, in Batch<Metric> batch)
    {
        var plan = _plan is { } known && known.Fits(in batch) ? known : NewPlan(in batch);
        TargetInfo.Write(text, ParentProvider.GetResource(), _format);
        foreach (var family in plan.Families)
        {
            var doubles = _writer.Write(text, family, _format);
            if (doubles > 0 && !_hasDoubles)
            {
                _hasDoubles = true;
                LogDoubles(doubles, family.Name);
            }
        }

        foreach (var family in Families())
            family.Write(text, _labels, _format);
        if (_format == ExpositionFormat.OpenMetrics)
            text.Write("# EOF\n"u8);
    }

    private DistributionFamily[] Families()
    {
        var all = _distributions?.All ?? [];
        if (all.Count != _families.Length)
            _families = [.. all.Select(distribution => new DistributionFamily(distribution))];
        return _families;
    }

    private FamilyPlan NewPlan(in Batch<Metric> batch)
    {
        var told = _plan?.Conflicts ?? [];
        _plan = FamilyPlan.For(in batch);
        foreach (var conflict in _plan.Conflicts.Except(told))
            LogConflict(conflict);
        return _plan;
    }

    [LoggerMessage(LogLevel.Warning, "Metrics: {Conflict}")]
    private partial void LogConflict(string conflict);

    [LoggerMessage(LogLevel.Warning, "Metrics: {Count} series of {Family} are left out, because others have the same labels")]
    private partial void LogDoubles(int count, string family);

    [LoggerMessage(LogLevel.Error, "Metrics can't be written")]
    private partial void LogFailure(Exception e);
}
