using System.Diagnostics;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Bench;

/// <summary>Takes whatever is posted and answers 200, in a process of its own, from both its ends: one address for each version of HTTP.</summary>
internal sealed class HttpServer : IDisposable
{
    public const string Argument = "--http-server";

    private readonly Process _process = Child.StartOutside([Argument]);
    private readonly string[] _addresses;

    public HttpServer() => _addresses = _process.StandardOutput.ReadLine()!.Split(' ');

    public string Url(bool http2) => $"{_addresses[http2 ? 1 : 0]}/orders";

    /// <summary>What the process does, until its parent is gone.</summary>
    public static async Task<int> RunAsync()
    {
        OwnProcess.EndWithParent();
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http1);
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http2);
        });
        await using var app = builder.Build();
        app.Run(context => context.Request.Body.CopyToAsync(Stream.Null));
        await app.StartAsync();
        Console.Out.WriteLine(string.Join(' ', app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses));
        await app.WaitForShutdownAsync();
        return 0;
    }

    public void Dispose()
    {
        _process.Kill();
        _process.Dispose();
    }
}
