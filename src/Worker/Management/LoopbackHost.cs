using System.Net;

namespace Holdfast.Worker.Management;

/// <summary>
/// Keeps a port that is open to this machine alone from pages of others in a browser on it: their names may come to stand for the loopback, but are
/// named in each request all the same.
/// </summary>
internal static class LoopbackHost
{
    private const string Refusal = "This port answers requests to localhost or a loopback address alone.\n";

    /// <summary>Whether a host's name, or address, stands for this machine whoever asks.</summary>
    public static bool Is(string host) =>
        host.Equals("localhost", StringComparison.OrdinalIgnoreCase) || (IPAddress.TryParse(host, out var address) && IPAddress.IsLoopback(address));

    /// <summary>Refuses what was asked of any other; what names none, or comes through a socket in the file system, is no browser's.</summary>
    public static void UseLoopbackHosts(this IApplicationBuilder app) => app.Use((context, next) =>
    {
        if (!context.Request.Host.HasValue || Is(context.Request.Host.Host) || context.Connection.LocalIpAddress is null)
            return next(context);
        context.Response.StatusCode = StatusCodes.Status421MisdirectedRequest;
        return context.Response.WriteAsync(Refusal, context.RequestAborted);
    });
}
