namespace Holdfast.Worker.Management;

/// <summary>
/// For how long an answer is offered to whoever asked for it. One that takes nothing keeps the memory of what it does not take, and a place among those
/// who may ask; and it would hold up the stop.
/// </summary>
internal sealed class Patience(TimeProvider time) : IHostedService, IDisposable
{
    private static readonly TimeSpan s_most = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_atTheEnd = TimeSpan.FromSeconds(1);

    private readonly CancellationTokenSource _over = new(Timeout.InfiniteTimeSpan, time);

    public async Task AnswerAsync(HttpContext context, RequestDelegate answer)
    {
        using var patience = new CancellationTokenSource(s_most, time);
        await using var late = patience.Token.UnsafeRegister(Abort, context);
        await using var cut = CutAtTheEnd(context);
        await answer(context);
    }

    /// <summary>Cuts off whoever is still being answered when the port is about to be closed, however long he may stay until then.</summary>
    public CancellationTokenRegistration CutAtTheEnd(HttpContext context) => _over.Token.UnsafeRegister(Abort, context);

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // The last of all before the port is closed.
    public Task StopAsync(CancellationToken cancellationToken)
    {
        _over.CancelAfter(s_atTheEnd);
        return Task.CompletedTask;
    }

    public void Dispose() => _over.Dispose();

    private static void Abort(object? context) => ((HttpContext)context!).Abort();
}
