using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Holdfast.Tests.Unit.Worker;

/// <summary>A client's connection to the management port, which either side may end.</summary>
internal sealed class Connection : IHttpRequestLifetimeFeature
{
    private readonly CancellationTokenSource _aborted;

    public Connection(CancellationToken gone = default)
    {
        _aborted = CancellationTokenSource.CreateLinkedTokenSource(gone);
        RequestAborted = _aborted.Token;
    }

    public CancellationToken RequestAborted { get; set; }

    /// <summary>What is asked for by it.</summary>
    public HttpContext Ask()
    {
        var context = new DefaultHttpContext();
        context.Features.Set<IHttpRequestLifetimeFeature>(this);
        return context;
    }

    public void Abort() => _aborted.Cancel();
}
