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

    /// <summary>What is told of who sends, beside his name.</summary>
    public const string Attributes = "OTEL_RESOURCE_ATTRIBUTES";

    private readonly List<OptionError> _errors = [];

    private OtelSettings(IConfiguration configuration)
    {
        Configuration = configuration;
        var isDisabled = Text(Disabled) is { } disabled && IsTrue(disabled);
        var targets = new OtlpTargets(configuration, _errors);
        var (traces, metrics) = (targets.Of("TRACES"), targets.Of("METRICS", "prometheus"));
        (Traces, Metrics) = isDisabled ? default : (traces, metrics);
        Sampling = ReadSampling();
        CheckAttributes();
        Pace = OtlpPace.Read(configuration, _errors);
        Shape = OtlpShape.Read(configuration, _errors);
        _errors.AddRange(SdkRules.Broken(configuration));
    }

    /// <summary>Where traces are sent; null where they are not.</summary>
    public OtlpTarget? Traces { get; }

    /// <summary>Where metrics are sent, beside being there to be scraped; null where they are not.</summary>
    public OtlpTarget? Metrics { get; }

    public TraceSampling Sampling { get; }

    public OtlpPace Pace { get; }

    public OtlpShape Shape { get; }

    /// <summary>The variables that are set, and change nothing here.</summary>
    public IReadOnlyList<string> WithoutEffect => Otlp.WithoutEffect.Of(Configuration, Traces, Metrics);

    /// <summary>What the SDK is to read where it reads for itself: it would ask the environment alone, and not the file.</summary>
    public IConfiguration Configuration { get; }

    /// <summary>Whether a variable is among those that are named in full, not after the worker's own prefix.</summary>
    public static bool Owns(string setting) => setting.StartsWith(Prefix, StringComparison.Ordinal);

    public static OtelSettings Read(IConfiguration configuration, out IReadOnlyList<OptionError> errors)
    {
        var settings = new OtelSettings(configuration);
        // What is said of all kinds of telemetry is read for each.
        errors = [.. settings._errors.Distinct()];
        return settings;
    }

    /// <summary>What a variable says; null where it is not set, which one that is blank is not.</summary>
    public static string? Text(IConfiguration configuration, string name) => string.IsNullOrWhiteSpace(configuration[name]) ? null : configuration[name]!.Trim();

    private bool IsTrue(string text)
    {
        if (!bool.TryParse(text, out var yes))
            _errors.Add(new(Disabled, $"'{text}' can't be read; set true or false."));
        return yes;
    }

    private TraceSampling ReadSampling()
    {
        var name = Text(TraceSampling.Variable) ?? TraceSampling.Default;
        if (!TraceSampling.Names.Contains(name, StringComparer.OrdinalIgnoreCase))
            _errors.Add(new(TraceSampling.Variable, $"'{name}' is unknown; set {Rules.Or(TraceSampling.Names)}."));

        var ratio = 1.0;
        if (Text(TraceSampling.Argument) is { } text && !(double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out ratio) && ratio is >= 0 and <= 1))
            _errors.Add(new(TraceSampling.Argument, $"'{text}' is no part of all traces; set a number from 0 to 1, such as 0.01."));
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

    private string? Text(string name) => Text(Configuration, name);
}
