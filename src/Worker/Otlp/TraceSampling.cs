using Holdfast.Consumer;
using OpenTelemetry.Trace;

namespace Holdfast.Worker.Otlp;

/// <summary>Which traces are recorded, by the standard's names. A ratio of what begins here is taken before the SDK is asked: what it drops would cost it an Activity.</summary>
internal sealed record TraceSampling(string Name, double Ratio)
{
    public const string Default = "parentbased_always_on";
    public const string Variable = "OTEL_TRACES_SAMPLER";
    public const string Argument = $"{Variable}_ARG";

    public static string[] Names { get; } =
        ["always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"];

    private bool IsParentBased => Name.StartsWith("parentbased_", StringComparison.OrdinalIgnoreCase);

    private bool IsOff => Name.EndsWith("always_off", StringComparison.OrdinalIgnoreCase);

    private bool IsRatio => IsOfRatios(Name);

    /// <summary>What changes nothing where it is set, because no ratio is sampled.</summary>
    public static IEnumerable<string> Idle(IConfiguration configuration) =>
        IsOfRatios(OtelSettings.Text(configuration, Variable) ?? Default) ? [] : [Argument];

    public RootSampling Roots() => IsOff ? new(0) : IsRatio ? new(Ratio) : RootSampling.All;

    public Sampler Sampler()
    {
        if (IsOff)
            return IsParentBased ? new ParentBasedSampler(new AlwaysOffSampler()) : new AlwaysOffSampler();
        if (IsParentBased)
            return new ParentBasedSampler(new AlwaysOnSampler());
        return IsRatio ? ByIds(new TraceIdRatioBasedSampler(Ratio)) : new AlwaysOnSampler();
    }

    private static bool IsOfRatios(string name) => name.EndsWith("traceidratio", StringComparison.OrdinalIgnoreCase);

    // What others began is judged anew; what is part of a span of ours goes with it.
    private static ParentBasedSampler ByIds(Sampler ratio) =>
        new(new AlwaysOnSampler(), remoteParentSampled: ratio, remoteParentNotSampled: ratio, new AlwaysOnSampler(), new AlwaysOffSampler());
}
