using System.Globalization;
using Holdfast.Consumer;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Otlp;

/// <summary>What OpenTelemetry's standard variables say of where traces and metrics are sent, and which traces. Nothing is sent unless one of them asks for it.</summary>
internal sealed class OtelSettings
{
    /// <summary>What all of them start with.</summary>
    public const string Prefix = "OTEL_";

    /// <summary>Forbids all sending.</summary>
    public const string Disabled = "OTEL_SDK_DISABLED";

    private const string Attributes = "OTEL_RESOURCE_ATTRIBUTES";
    private const string Sampler = "OTEL_TRACES_SAMPLER";
    private const string SamplerArgument = "OTEL_TRACES_SAMPLER_ARG";
    private const string Queue = "OTEL_BSP_MAX_QUEUE_SIZE";
    private const string Batch = "OTEL_BSP_MAX_EXPORT_BATCH_SIZE";
    private const int DefaultQueue = 2_048;
    private const int DefaultBatch = 512;

    // The SDK reads these by itself, and takes its default in silence where it can't.
    private static readonly (string Name, int Default)[] s_numbers =
    [
        ("OTEL_BSP_SCHEDULE_DELAY", 5_000), ("OTEL_BSP_EXPORT_TIMEOUT", 30_000), (Queue, DefaultQueue), (Batch, DefaultBatch),
        ("OTEL_METRIC_EXPORT_INTERVAL", 60_000), ("OTEL_METRIC_EXPORT_TIMEOUT", 30_000),
    ];

    private readonly IConfiguration _configuration;
    private readonly List<OptionError> _errors = [];

    private OtelSettings(IConfiguration configuration)
    {
        _configuration = configuration;
        var isDisabled = Text(Disabled) is { } disabled && IsTrue(disabled);
        var targets = new OtlpTargets(configuration, _errors);
        var (traces, metrics) = (targets.Of("TRACES"), targets.Of("METRICS", "prometheus"));
        (Traces, Metrics) = isDisabled ? default : (traces, metrics);
        Sampling = ReadSampling();
        CheckAttributes();
        CheckNumbers();
    }

    /// <summary>Where traces are sent; null where they are not.</summary>
    public OtlpTarget? Traces { get; }

    /// <summary>Where metrics are sent, beside being there to be scraped; null where they are not.</summary>
    public OtlpTarget? Metrics { get; }

    public TraceSampling Sampling { get; }

    /// <summary>Whether a variable is among those that are named in full, not after the worker's own prefix.</summary>
    public static bool Owns(string setting) => setting.StartsWith(Prefix, StringComparison.Ordinal);

    public static OtelSettings Read(IConfiguration configuration, out IReadOnlyList<OptionError> errors)
    {
        var settings = new OtelSettings(configuration);
        // What is said of all kinds of telemetry is read for each.
        errors = [.. settings._errors.Distinct()];
        return settings;
    }

    private bool IsTrue(string text)
    {
        if (!bool.TryParse(text, out var yes))
            _errors.Add(new(Disabled, $"'{text}' can't be read; set true or false."));
        return yes;
    }

    private TraceSampling ReadSampling()
    {
        var name = Text(Sampler) ?? TraceSampling.Default;
        if (!TraceSampling.Names.Contains(name, StringComparer.OrdinalIgnoreCase))
            _errors.Add(new(Sampler, $"'{name}' is unknown; set {Rules.Or(TraceSampling.Names)}."));

        var ratio = 1.0;
        if (Text(SamplerArgument) is { } text && !(double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out ratio) && ratio is >= 0 and <= 1))
            _errors.Add(new(SamplerArgument, $"'{text}' is no part of all traces; set a number from 0 to 1, such as 0.01."));
        return new(name, ratio);
    }

    private void CheckAttributes()
    {
        foreach (var pair in (Text(Attributes) ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            if (pair.IndexOf('=') < 1)
                _errors.Add(new(Attributes, $"'{pair}' is no attribute; set pairs such as deployment.environment.name=production,team=orders."));
        }
    }

    private void CheckNumbers()
    {
        foreach (var (name, usual) in s_numbers)
        {
            if (Text(name) is { } text && Number(text) is null)
                _errors.Add(new(name, $"'{text}' is no number that it can be; set a whole one from 1 on, such as {usual}."));
        }

        var (batch, queue) = (Number(Text(Batch)) ?? DefaultBatch, Number(Text(Queue)) ?? DefaultQueue);
        if (batch > queue)
            _errors.Add(new(Text(Batch) is null ? Queue : Batch, $"A batch of {batch} is more than the queue of {queue} holds; raise {Queue}, or lower {Batch}."));
    }

    private static int? Number(string? text) => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number > 0 ? number : null;

    private string? Text(string name) => string.IsNullOrWhiteSpace(_configuration[name]) ? null : _configuration[name]!.Trim();
}
