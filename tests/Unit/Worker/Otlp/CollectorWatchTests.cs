using Holdfast.Virtual;
using Holdfast.Worker.Otlp;
using OpenTelemetry;

namespace Holdfast.Tests.Unit.Worker.Otlp;

public sealed class CollectorWatchTests
{
    private readonly VirtualTime _time = new();
    private readonly Notes<OtlpExport> _log = new();
    private readonly CollectorWatch _watch;

    public CollectorWatchTests() =>
        _watch = new CollectorWatch(_log, "Traces", Settings.Reading.Read("OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317").Otel.Traces!, _time);

    [Fact]
    public void A_collector_that_takes_nothing_is_told_of_once()
    {
        Note(ExportResult.Success, ExportResult.Failure, ExportResult.Failure);

        Assert.StartsWith("Warning: Traces can't be sent to the collector at http://collector:4317 (Connection refused); what", Assert.Single(_log.Lines));
    }

    [Fact]
    public void Where_nobody_knows_why_that_is_said()
    {
        _watch.Note(ExportResult.Failure, why: null);

        Assert.Contains("(the exporter does not say why)", Assert.Single(_log.Lines));
    }

    [Fact]
    public void That_one_takes_everything_again_is_told_once_it_has_done_so_for_a_minute()
    {
        Note(ExportResult.Failure, ExportResult.Success);
        Assert.Single(_log.Lines);

        _time.Advance(TimeSpan.FromMinutes(1));
        Note(ExportResult.Success, ExportResult.Success);

        Assert.EndsWith(" takes Traces again.", Assert.Single(_log.Lines[1..]));
    }

    [Fact]
    public void One_that_takes_every_other_batch_is_told_of_no_more_often()
    {
        for (var second = 0; second < 600; second++)
        {
            Note(ExportResult.Failure, ExportResult.Success);
            _time.Advance(TimeSpan.FromSeconds(1));
        }

        Assert.Single(_log.Lines);
    }

    private void Note(params ExportResult[] results)
    {
        foreach (var result in results)
            Assert.Equal(result, _watch.Note(result, result == ExportResult.Failure ? "Connection refused" : null));
    }
}
