using System.Net;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Http;

/// <summary>The connections to an endpoint: kept, and used again.</summary>
internal static class Connections
{
    private const int LongestToDrain = 64 * 1024;
    private static readonly TimeSpan s_toConnect = TimeSpan.FromSeconds(15);

    // Who refuses a body by its length does so at once, and who knows no announcement costs each large message this.
    private static readonly TimeSpan s_toBeAskedForBody = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_toDrain = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_untilResolvedAnew = TimeSpan.FromMinutes(5);
    private static readonly Resolver s_resolver = new(Dns.GetHostAddressesAsync, TimeProvider.System);
    private static readonly Dial s_dial = new(s_resolver.ResolveAsync, s_toConnect, TimeProvider.System);

    public static HttpMessageInvoker Open(HttpOptions options) => new(HandlerFor(options));

    /// <summary>Nothing is followed, remembered from one answer to the next, or added to a request.</summary>
    public static SocketsHttpHandler HandlerFor(HttpOptions options)
    {
        var connections = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            UseProxy = !Proxy.IsUseless(EndpointUrl.Of(options)),
            // The span it would add is sent to no collector, and would stand as a missing parent between the endpoint's spans and ours.
            ActivityHeadersPropagator = null,
            ConnectCallback = static (context, cancel) => s_dial.ConnectAsync(context.DnsEndPoint, cancel),
            ConnectTimeout = s_toConnect,
            Expect100ContinueTimeout = s_toBeAskedForBody,
            PooledConnectionLifetime = s_untilResolvedAnew,
            EnableMultipleHttp2Connections = true,
            KeepAlivePingDelay = Dial.ToProveLife,

            // An endpoint with one thread answers no ping while it works. Who is silent for so long answers no request in time either.
            KeepAlivePingTimeout = options.Timeout > Dial.ToProveLife ? options.Timeout : Dial.ToProveLife,
            MaxResponseDrainSize = LongestToDrain,
            ResponseDrainTimeout = s_toDrain,
        };
        if (options.CaFile is not null)
            connections.SslOptions.CertificateChainPolicy = new() { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck, DisableCertificateDownloads = true };
        connections.SslOptions.RemoteCertificateValidationCallback = (_, certificate, chain, errors) => Trust.Check(certificate, chain, errors, options.CaFile);
        return connections;
    }
}
