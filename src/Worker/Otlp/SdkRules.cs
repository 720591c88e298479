using System.Globalization;
using Holdfast.Consumer;

namespace Holdfast.Worker.Otlp;

/// <summary>What must hold of the variables that the SDK reads by itself: it does so in the environment alone, and where one can't be it takes its default in silence.</summary>
internal static class SdkRules
{
    private static readonly string[] s_limits =
    [
        "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
        "OTEL_SPAN_EVENT_COUNT_LIMIT", "OTEL_SPAN_LINK_COUNT_LIMIT", "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT",
    ];

    public static IEnumerable<string> Names { get; } = [.. CertificateRules.Names, .. s_limits, .. DiskRetryRules.Names];

    public static IEnumerable<OptionError> Broken(IConfiguration configuration) =>
        Broken(configuration, new ConfigurationBuilder().AddEnvironmentVariables().Build());

    public static IEnumerable<OptionError> Broken(IConfiguration configuration, IConfiguration environment) =>
        [.. Elsewhere(configuration, environment), .. BrokenLimits(configuration), .. DiskRetryRules.Broken(configuration), .. CertificateRules.Broken(configuration)];

    private static IEnumerable<OptionError> Elsewhere(IConfiguration configuration, IConfiguration environment) =>
        from name in Names
        where OtelSettings.Text(configuration, name) is { } text && text != OtelSettings.Text(environment, name)
        select new OptionError(name, "It is read from the environment alone; set it there.");

    // As it stands, for the SDK does not trim it.
    private static IEnumerable<OptionError> BrokenLimits(IConfiguration configuration) =>
        from name in s_limits
        where OtelSettings.Text(configuration, name) is not null && !int.TryParse(configuration[name], NumberStyles.None, CultureInfo.InvariantCulture, out _)
        select new OptionError(name, $"'{configuration[name]}' is no limit; set a whole number from 0 on.");
}
