using System.Diagnostics;
using System.Net;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Bench;

/// <summary>Takes whatever is posted, does with it what its address says and answers 200, in a process of its own, from both its ends: one address for each version of HTTP.</summary>
internal sealed class HttpServer : IDisposable
{
    public const string Argument = "--http-server";

    private const string Hashes = "hashes";
    private const string Milliseconds = "milliseconds";

    private readonly Process _process = Child.StartOutside([Argument]);
    private readonly string[] _addresses;

    public HttpServer() => _addresses = _process.StandardOutput.ReadLine()!.Split(' ');

    /// <summary>Where it answers after so many hashes of the body, or so long a wait.</summary>
    public string Url(bool http2, int hashes, int milliseconds) => $"{_addresses[http2 ? 1 : 0]}/orders?{Hashes}={hashes}&{Milliseconds}={milliseconds}";

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
        app.Run(TakeAsync);
        await app.StartAsync();
        Console.Out.WriteLine(string.Join(' ', app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses));
        await app.WaitForShutdownAsync();
        return 0;
    }

    private static async Task TakeAsync(HttpContext context)
    {
        var (hashes, milliseconds) = (int.Parse(context.Request.Query[Hashes]!), int.Parse(context.Request.Query[Milliseconds]!));
        if (hashes == 0)
            await context.Request.Body.CopyToAsync(Stream.Null);
        else
            await HashAsync(context.Request.Body, hashes);
        if (milliseconds > 0)
            await Task.Delay(milliseconds);
    }

    private static async Task HashAsync(Stream posted, int times)
    {
        var body = new byte[HttpCase.Body.Length];
        await posted.ReadExactlyAsync(body);
        for (; times > 0; times--)
            SHA256.HashData(body, body.AsSpan(0, SHA256.HashSizeInBytes));
    }

    public void Dispose()
    {
        _process.Kill();
        _process.Dispose();
    }
}
