using System.Collections.Concurrent;
using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Integration.Http;

/// <summary>An endpoint of a test's own, which answers as it is told and keeps what it was sent.</summary>
internal sealed class WebEndpoint : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly ConcurrentQueue<Posted> _posted = new();

    private WebEndpoint(RequestDelegate answer, HttpProtocols protocols, Func<X509Certificate2>? certificate)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelHttpsConfiguration().ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen =>
        {
            listen.Protocols = protocols;
            if (certificate is not null)
                listen.UseHttps(https => https.ServerCertificateSelector = (_, _) => certificate());
        }));
        _app = builder.Build();
        _app.Run(async context =>
        {
            using var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body);
            _posted.Enqueue(new(context.Request.Protocol, context.Connection.Id, context.Request.Headers.ToDictionary(header => header.Key, header => $"{header.Value}", StringComparer.OrdinalIgnoreCase), body.ToArray()));
            await answer(context);
        });
    }

    public string Url => _app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single();

    public IReadOnlyList<Posted> Posted => [.. _posted];

    public static async Task<WebEndpoint> StartAsync(RequestDelegate answer, HttpProtocols protocols = HttpProtocols.Http1, Func<X509Certificate2>? certificate = null)
    {
        var endpoint = new WebEndpoint(answer, protocols, certificate);
        await endpoint._app.StartAsync();
        return endpoint;
    }

    /// <summary>One that always answers with this status, and perhaps a text.</summary>
    public static Task<WebEndpoint> StartAsync(int status, string text = "", HttpProtocols protocols = HttpProtocols.Http1) => StartAsync(
        context =>
        {
            context.Response.StatusCode = status;
            return context.Response.WriteAsync(text);
        },
        protocols);

    public ValueTask DisposeAsync() => _app.DisposeAsync();
}

/// <summary>A message as an endpoint got it.</summary>
internal sealed record Posted(string Protocol, string Connection, Dictionary<string, string> Headers, byte[] Body);
