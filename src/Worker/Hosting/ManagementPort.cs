using System.Globalization;
using Holdfast.Consumer;

namespace Holdfast.Worker.Hosting;

/// <summary>The port of the status page, the metrics and the health checks.</summary>
internal static class ManagementPort
{
    public const string Setting = "ASPNETCORE_HTTP_PORTS";

    private const string Ports = "http_ports";
    private const string Urls = "urls";
    private const string Default = "8080";

    public static void UseDefaultPort(this IWebHostBuilder web)
    {
        if (string.IsNullOrWhiteSpace(web.GetSetting(Ports)) && string.IsNullOrWhiteSpace(web.GetSetting(Urls)))
            web.UseSetting(Ports, Default);
    }

    /// <summary>The port that a worker with this environment listens on.</summary>
    public static string First(IConfiguration configuration) =>
        (configuration[Setting] ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).FirstOrDefault(Default);

    public static IEnumerable<OptionError> Broken(IConfiguration configuration) =>
        (configuration[Ports] ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Where(port => !ushort.TryParse(port, NumberStyles.None, CultureInfo.InvariantCulture, out _))
            .Select(port => new OptionError(Setting, $"'{port}' is not a port; set a number, such as 8080."));
}
