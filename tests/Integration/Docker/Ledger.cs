using System.Collections.Concurrent;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Integration.Docker;

/// <summary>The endpoint that workers post messages to: what it has answered is done, and in its books.</summary>
internal sealed class Ledger : IAsyncDisposable
{
    // An address of its own has all ports free, and compose.yml knows this one.
    private const int Port = 8080;

    private readonly WebApplication _app;
    private readonly ConcurrentDictionary<string, Page> _pages = new();

    private Ledger(IPAddress address)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(address, Port));
        _app = builder.Build();
        _app.MapPost("/", TakeAsync);
    }

    public static async Task<Ledger> StartAsync(IPAddress address)
    {
        var ledger = new Ledger(address);
        await ledger._app.StartAsync();
        return ledger;
    }

    /// <summary>Opens a page for messages that are about to be sent.</summary>
    public Page Open(string name, int count, TimeSpan work) => _pages[name] = new Page(name, count, work);

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    // A request that is aborted was not handled: its worker has given it up.
    private async Task TakeAsync(HttpContext context)
    {
        var id = context.Request.Headers["ce-id"].ToString();
        var page = _pages[id[..id.LastIndexOf('-')]];
        await Task.Delay(page.Work, context.RequestAborted);
        page.Add(id, $"{context.Connection.RemoteIpAddress}");
    }
}
