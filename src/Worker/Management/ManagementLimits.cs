using Holdfast.Worker.Status;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Holdfast.Worker.Management;

/// <summary>What the management port bears with. Whoever reaches it must not fill the memory in which leases are held; and probes come by it too.</summary>
internal static class ManagementLimits
{
    // Some for each page that is watched, and for whoever scrapes or probes: what all of them may leave untaken fits into a small container.
    private const int MostConnections = 256;

    // For those who have to go and are in the middle of something: all who watch the page may be, and a few who take their answer slowly.
    private const int MostLeaving = 2 * StatusFeed.MostViewers;

    // The server refuses who comes last, which may be a probe, and logs each. So it is not asked to while some are cut off already and not gone yet.
    private const int MostSockets = 2 * MostConnections;
    private const int LongestHeaders = 16 * 1024;
    private static readonly TimeSpan s_toAsk = TimeSpan.FromSeconds(5);

    // Longer than scrapes are apart, so that each need not connect anew.
    private static readonly TimeSpan s_untilNextRequest = TimeSpan.FromSeconds(75);

    public static void Set(KestrelServerOptions server)
    {
        var room = new Room(MostConnections - MostLeaving, MostLeaving);
        server.ConfigureEndpointDefaults(listen => listen.Use(serve => connection => room.HostAsync(connection, serve)));
        server.AddServerHeader = false;
        server.Limits.MaxConcurrentConnections = MostSockets;
        server.Limits.MaxRequestHeadersTotalSize = LongestHeaders;
        server.Limits.MaxRequestBodySize = 0;
        server.Limits.RequestHeadersTimeout = s_toAsk;
        server.Limits.KeepAliveTimeout = s_untilNextRequest;
    }
}
