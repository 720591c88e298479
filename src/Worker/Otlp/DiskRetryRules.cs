using Holdfast.Consumer;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Otlp;

/// <summary>What must hold of how the SDK keeps what a collector did not take.</summary>
internal static class DiskRetryRules
{
    private const string Retry = "OTEL_DOTNET_EXPERIMENTAL_OTLP_RETRY";
    private const string Where = "OTEL_DOTNET_EXPERIMENTAL_OTLP_DISK_RETRY_DIRECTORY_PATH";
    private const string InMemory = "in_memory";
    private const string OnDisk = "disk";

    public static IReadOnlyList<string> Names { get; } = [Retry, Where];

    /// <summary>What is set, and changes nothing.</summary>
    public static IEnumerable<string> Idle(IConfiguration configuration) => IsOnDisk(configuration) ? [] : [Where];

    // As it stands, for the SDK does not trim it.
    public static IEnumerable<OptionError> Broken(IConfiguration configuration)
    {
        if (OtelSettings.Text(configuration, Retry) is not null && !IsOnDisk(configuration) && !InMemory.Equals(configuration[Retry], StringComparison.OrdinalIgnoreCase))
            yield return new(Retry, $"'{configuration[Retry]}' is unknown; set {InMemory} or {OnDisk}.");
        if (!IsOnDisk(configuration))
            yield break;
        if (OtelSettings.Text(configuration, Where) is null)
            yield return new(Retry, $"On disk there must be a folder for it; set {Where}.");
        else if (!CanHoldFolders(configuration[Where]!))
            yield return new(Where, "Nothing can be kept there; set the path of a folder that this user may write into, or may make.");
    }

    private static bool IsOnDisk(IConfiguration configuration) => OnDisk.Equals(configuration[Retry], StringComparison.OrdinalIgnoreCase);

    // The SDK makes folders of its own there, and ends the start where it can't. What is not there yet is left to it, for this may be a command of another user's.
    private static bool CanHoldFolders(string folder)
    {
        try
        {
            var there = Path.GetFullPath(folder);
            while (!Path.Exists(there) && Path.GetDirectoryName(there) is { } above)
                there = above;
            return Folder.MayBeWrittenTo(there);
        }
        catch (ArgumentException)
        {
            return false;
        }
    }
}
