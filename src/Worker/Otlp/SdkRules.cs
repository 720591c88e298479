using System.Globalization;
using Holdfast.Consumer;

namespace Holdfast.Worker.Otlp;

/// <summary>What must hold of the variables that the SDK reads by itself: it does so in the environment alone, and where one can't be it takes its default in silence.</summary>
internal static class SdkRules
{
    private const string Retry = "OTEL_DOTNET_EXPERIMENTAL_OTLP_RETRY";
    private const string RetryFolder = "OTEL_DOTNET_EXPERIMENTAL_OTLP_DISK_RETRY_DIRECTORY_PATH";

    private static readonly string[] s_limits =
    [
        "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
        "OTEL_SPAN_EVENT_COUNT_LIMIT", "OTEL_SPAN_LINK_COUNT_LIMIT", "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT",
    ];

    public static IEnumerable<OptionError> Broken(IConfiguration configuration) =>
        Broken(configuration, new ConfigurationBuilder().AddEnvironmentVariables().Build());

    public static IEnumerable<OptionError> Broken(IConfiguration configuration, IConfiguration environment) =>
        [.. Elsewhere(configuration, environment), .. BrokenLimits(configuration), .. BrokenRetry(configuration), .. CertificateRules.Broken(configuration)];

    private static IEnumerable<OptionError> Elsewhere(IConfiguration configuration, IConfiguration environment) =>
        from name in (string[])[.. CertificateRules.Names, .. s_limits, Retry, RetryFolder]
        where OtelSettings.Text(configuration, name) is { } text && text != OtelSettings.Text(environment, name)
        select new OptionError(name, "It is read from the environment alone; set it there.");

    // As it stands, for the SDK does not trim it.
    private static IEnumerable<OptionError> BrokenLimits(IConfiguration configuration) =>
        from name in s_limits
        where OtelSettings.Text(configuration, name) is not null && !int.TryParse(configuration[name], NumberStyles.None, CultureInfo.InvariantCulture, out _)
        select new OptionError(name, $"'{configuration[name]}' is no limit; set a whole number from 0 on.");

    private static IEnumerable<OptionError> BrokenRetry(IConfiguration configuration)
    {
        if (OtelSettings.Text(configuration, Retry) is null)
            yield break;
        var retry = configuration[Retry]!;
        var isOnDisk = retry.Equals("disk", StringComparison.OrdinalIgnoreCase);
        if (!isOnDisk && !retry.Equals("in_memory", StringComparison.OrdinalIgnoreCase))
            yield return new(Retry, $"'{retry}' is unknown; set in_memory or disk.");
        if (isOnDisk && OtelSettings.Text(configuration, RetryFolder) is null)
            yield return new(Retry, $"On disk there must be a folder for it; set {RetryFolder}.");
    }
}
