using System.Globalization;
using System.Net;
using Holdfast.Consumer;

namespace Holdfast.Worker.Hosting;

/// <summary>The port of the status page, the metrics and the health checks.</summary>
internal static class ManagementPort
{
    public const string Setting = "ASPNETCORE_HTTP_PORTS";

    private const string Ports = "http_ports";
    private const string Urls = "urls";
    private const string Default = "8080";
    private const string Loopback = "127.0.0.1";

    public static void UseDefaultPort(this IWebHostBuilder web)
    {
        if (string.IsNullOrWhiteSpace(web.GetSetting(Ports)) && string.IsNullOrWhiteSpace(web.GetSetting(Urls)))
            web.UseSetting(Ports, Default);
    }

    /// <summary>Where a worker with these settings answers on its own machine. The server heeds addresses before ports.</summary>
    public static string Address(IConfiguration configuration) =>
        Parts(configuration, Urls).Select(BindingAddress.Parse).FirstOrDefault(one => one.Scheme == Uri.UriSchemeHttp) is { } address
            ? $"http://{HostOf(address)}:{address.Port}"
            : $"http://{Loopback}:{Parts(configuration, Ports).FirstOrDefault(Default)}";

    public static IEnumerable<OptionError> Broken(IConfiguration configuration) =>
        Parts(configuration, Ports)
            .Where(port => !ushort.TryParse(port, NumberStyles.None, CultureInfo.InvariantCulture, out _))
            .Select(port => new OptionError(Setting, $"'{port}' is not a port; set a number, such as 8080."));

    private static string[] Parts(IConfiguration configuration, string key) =>
        (configuration[key] ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    // What is no address of this machine's stands for all of them.
    private static string HostOf(BindingAddress address) =>
        IPAddress.TryParse(address.Host, out var ip) && !ip.Equals(IPAddress.Any) && !ip.Equals(IPAddress.IPv6Any) ? address.Host : Loopback;
}
