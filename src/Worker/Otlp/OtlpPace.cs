using System.Globalization;
using Holdfast.Consumer;

namespace Holdfast.Worker.Otlp;

/// <summary>How often telemetry is sent, in milliseconds, and how many spans at once, of how many that wait.</summary>
internal sealed record OtlpPace(int SpanDelay, int SpanTimeout, int SpanQueue, int SpanBatch, int MetricInterval, int MetricTimeout)
{
    private const string Delay = "OTEL_BSP_SCHEDULE_DELAY";
    private const string Timeout = "OTEL_BSP_EXPORT_TIMEOUT";
    private const string Queue = "OTEL_BSP_MAX_QUEUE_SIZE";
    private const string Batch = "OTEL_BSP_MAX_EXPORT_BATCH_SIZE";
    private const string OfMetrics = "OTEL_METRIC_EXPORT_INTERVAL";
    private const string TimeoutOfMetrics = "OTEL_METRIC_EXPORT_TIMEOUT";
    private const int DefaultQueue = 2_048;
    private const int DefaultBatch = 512;

    // Room is made for all of them at once.
    private const int MostInQueue = 1_000_000;

    public static IEnumerable<string> Names { get; } = [Delay, Timeout, Queue, Batch, OfMetrics, TimeoutOfMetrics];

    public static OtlpPace Read(IConfiguration configuration, List<OptionError> errors)
    {
        var pace = new OtlpPace(
            Number(Delay, 5_000),
            Number(Timeout, 30_000),
            Number(Queue, DefaultQueue, MostInQueue),
            Number(Batch, DefaultBatch),
            Number(OfMetrics, 60_000),
            Number(TimeoutOfMetrics, 30_000));
        if (pace.SpanBatch > pace.SpanQueue)
        {
            errors.Add(new(
                OtelSettings.Text(configuration, Batch) is null ? Queue : Batch,
                $"A batch of {pace.SpanBatch} is more than the queue of {pace.SpanQueue} holds; raise {Queue}, or lower {Batch}."));
        }

        return pace;

        int Number(string name, int usual, int most = int.MaxValue)
        {
            if (OtelSettings.Text(configuration, name) is not { } text)
                return usual;
            if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number > 0 && number <= most)
                return number;
            errors.Add(new(name, $"'{text}' is no number that it can be; set a whole one from 1 {(most < int.MaxValue ? $"to {most}" : "on")}, such as {usual}."));
            return usual;
        }
    }
}
