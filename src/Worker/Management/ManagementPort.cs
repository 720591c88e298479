using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Holdfast.Consumer;
using Holdfast.Worker.Settings;
using Microsoft.AspNetCore.Connections;

namespace Holdfast.Worker.Management;

/// <summary>The port of the status page, the metrics and the health checks.</summary>
internal static class ManagementPort
{
    private const string PortsSetting = $"{SettingSources.Prefix}HTTP_PORTS";
    private const string UrlsSetting = $"{SettingSources.Prefix}URLS";
    private const string SecurePortsSetting = $"{SettingSources.Prefix}HTTPS_PORTS";

    private const string Ports = "http_ports";
    private const string SecurePorts = "https_ports";
    private const string Urls = "urls";
    private const string Default = "8080";
    private const string Loopback = "127.0.0.1";

    // What other programs on the same server have in place of those.
    private const string Endpoints = "Kestrel:Endpoints";
    private const string EndpointsSetting = "Kestrel__Endpoints";

    public static void UseDefaultPort(this IWebHostBuilder web)
    {
        if (string.IsNullOrWhiteSpace(web.GetSetting(Ports)) && string.IsNullOrWhiteSpace(web.GetSetting(Urls)))
            web.UseSetting(Ports, Default);
    }

    /// <summary>Where a worker with these settings answers on its own machine. The server heeds addresses before ports.</summary>
    public static ManagementPortAddress Address(IConfiguration configuration) => Bindings(configuration).FirstOrDefault() switch
    {
        null => new($"http://{Loopback}:{Parts(configuration, Ports).FirstOrDefault(Default)}"),
        { IsUnixPipe: true } address => ManagementPortAddress.Through(address.UnixPipePath),
        var address => new($"http://{HostOf(address)}:{address.Port}"),
    };

    /// <summary>The sockets in the file system that it listens at.</summary>
    public static IEnumerable<string> Sockets(IConfiguration configuration) =>
        Bindings(configuration).Where(address => address.IsUnixPipe).Select(address => address.UnixPipePath);

    /// <summary>Whether a setting is among those that are named in full, not after the worker's own prefix.</summary>
    public static bool Owns(string setting) => setting == EndpointsSetting || setting.StartsWith(SettingSources.Prefix, StringComparison.Ordinal);

    /// <summary>Whether with these settings nobody else's machine reaches it.</summary>
    public static bool IsLoopback(IConfiguration configuration) =>
        Bindings(configuration) is [_, ..] addresses && addresses.All(address => address.IsUnixPipe || LoopbackHost.Is(address.Host));

    public static IEnumerable<OptionError> Broken(IConfiguration configuration) =>
        Parts(configuration, Ports)
            .Where(port => !ushort.TryParse(port, NumberStyles.None, CultureInfo.InvariantCulture, out _))
            .Select(port => new OptionError(PortsSetting, $"'{port}' is not a port; set a number, such as 8080."))
            .Concat(Addresses(configuration).SelectMany(BrokenAddress))
            .Concat(Empty(configuration, Ports, PortsSetting, Default))
            .Concat(Empty(configuration, Urls, UrlsSetting, "http://+:8080"))
            .Concat(Parts(configuration, SecurePorts).Take(1).Select(_ => new OptionError(SecurePortsSetting, $"The management port speaks no TLS; leave it out, and set {PortsSetting}.")))
            .Concat(ForAnotherServer(configuration));

    /// <summary>What is wrong with the setting by which the server could not open its port; null where that is not what happened.</summary>
    public static OptionError? Refused(Exception problem, IConfiguration configuration)
    {
        var (setting, cure) = Parts(configuration, Urls) is [] ? (PortsSetting, "8081") : (UrlsSetting, "http://+:8081");
        return problem switch
        {
            _ when Sockets(configuration).FirstOrDefault() is { } socket && RefusedSocket(problem, socket) is { } refused => refused,
            IOException { InnerException: AddressInUseException } => new(setting, $"{problem.Message} Choose a free port, such as {setting}={cure}."),
            SocketException { SocketErrorCode: SocketError.AccessDenied } => new(setting, $"This user may not open a port of {Set(configuration)}; choose one from 1024 on, such as {setting}={cure}."),
            SocketException { SocketErrorCode: SocketError.AddressNotAvailable } => new(setting, $"{Set(configuration)} is no address of this machine; choose one that is, or all, such as {setting}={cure}."),
            // Where a name stands for several addresses and none of them can be had.
            IOException { InnerException: AggregateException } => new(setting, $"{problem.Message} Choose another, such as {setting}={cure}."),
            _ => null,
        };
    }

    // Whoever has chosen a socket wants no port that is open to others.
    private static OptionError? RefusedSocket(Exception problem, string socket) => problem switch
    {
        IOException { InnerException: AddressInUseException } => new(UrlsSetting, $"{problem.Message} Where that is {socket}, another worker listens there, or what lies there is not ours to take away; name another one."),
        SocketException { SocketErrorCode: SocketError.AccessDenied } => new(UrlsSetting, $"This user may not make a socket at {socket}; name one in a folder that it may write to, such as {UrlsSetting}=http://unix:/tmp/worker.sock."),
        _ => null,
    };

    private static BindingAddress[] Bindings(IConfiguration configuration) => [.. Parts(configuration, Urls).Select(BindingAddress.Parse)];

    private static string Set(IConfiguration configuration) => string.Join(';', Parts(configuration, Urls) is [_, ..] urls ? urls : Parts(configuration, Ports));

    // As the server parts them, which takes a blank for a part of the address.
    private static string[] Addresses(IConfiguration configuration) =>
        (configuration[Urls] ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries);

    // The server would take a place of its own, on this machine alone.
    private static IEnumerable<OptionError> Empty(IConfiguration configuration, string key, string setting, string example)
    {
        if (!string.IsNullOrWhiteSpace(configuration[key]) && Parts(configuration, key) is [])
            yield return new(setting, $"'{configuration[key]}' names nothing between its separators; set one such as {example}, or leave it out.");
    }

    // Other programs on the same server heed it. Whoever keeps it to one address by that would have it open to all.
    private static IEnumerable<OptionError> ForAnotherServer(IConfiguration configuration)
    {
        if (configuration.GetSection(Endpoints).GetChildren().Any())
            yield return new(EndpointsSetting, $"The management port heeds none of these; leave them out, and set {UrlsSetting}, such as http://127.0.0.1:8080.");
    }

    private static IEnumerable<OptionError> BrokenAddress(string url)
    {
        if (url != url.Trim())
            yield return new(UrlsSetting, $"'{url}' has a blank before or after it, which would be a part of the address; leave it out.");
        else if (!TryParse(url, out var address))
            yield return new(UrlsSetting, $"'{url}' is no address that the management port can have; set one such as http://+:8080, without TLS.");
        else if (address.PathBase.Length > 0)
            yield return new(UrlsSetting, $"'{url}' has a path, and the management port has none; leave {address.PathBase} out.");
        else if (address.IsUnixPipe && Path.GetDirectoryName(address.UnixPipePath) is { } folder && !Directory.Exists(folder))
            yield return new(UrlsSetting, $"'{url}' names a socket in {folder}, which is not there; make that folder, or name one that is.");
        else if (!IsHost(address))
            yield return new(UrlsSetting, $"'{url}' names a host, for which the server would listen on all addresses, without a login; set the IP address that is meant, localhost, or http://+:{address.Port} for all.");
    }

    private static bool TryParse(string url, [NotNullWhen(true)] out BindingAddress? address)
    {
        try
        {
            address = BindingAddress.Parse(url);
            return address is { Scheme: "http", Port: >= 0 and <= IPEndPoint.MaxPort };
        }
        catch (FormatException)
        {
            address = null;
            return false;
        }
    }

    // A socket in the file system is open to nobody else.
    private static bool IsHost(BindingAddress address) =>
        address.IsUnixPipe || address.Host is "+" or "*" || address.Host.Equals("localhost", StringComparison.OrdinalIgnoreCase) || IPAddress.TryParse(address.Host, out _);

    private static string[] Parts(IConfiguration configuration, string key) =>
        (configuration[key] ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    // What is no address of this machine's stands for all of them.
    private static string HostOf(BindingAddress address) =>
        IPAddress.TryParse(address.Host, out var ip) && !ip.Equals(IPAddress.Any) && !ip.Equals(IPAddress.IPv6Any) ? address.Host : Loopback;
}
