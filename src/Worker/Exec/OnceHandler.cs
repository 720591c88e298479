using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Exec;

/// <summary>Starts a command for each message, with the body on its standard input, and lets its exit code decide.</summary>
internal sealed class OnceHandler(ExecOptions options, SendSignal send, TimeProvider time, ILogger log) : IHandler, IAsyncDisposable
{
    private readonly Children _children = new(new ExecCommand(options), options.Grace, send, time, log);

    public async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        var (code, lastWords) = await OffLane.RunAsync(() => RunAsync(message, cancel));
        return ExitMeaning.Of(code, lastWords, options.Delay);
    }

    public ValueTask DisposeAsync() => _children.DisposeAsync();

    private async Task<(int Code, string LastWords)> RunAsync(HeldMessage message, CancellationToken cancel)
    {
        using var limit = new TimeLimit(options.Timeout, time, cancel);
        using var hush = new CancellationTokenSource(Timeout.InfiniteTimeSpan, time);
        limit.ThrowIfOver();

        await using var child = _children.Start(MessageVariables.Of(message));
        var (output, error) = (Listener(message, "stdout"), Listener(message, "stderr"));
        var talk = Task.WhenAll(
            FeedAsync(child, message.Body, hush.Token),
            output.ReadAsync(child.Output, hush.Token),
            error.ReadAsync(child.Error, hush.Token));

        var hasEnded = await EndsBeforeAsync(child.Exited, limit.Token);
        if (!hasEnded)
            await child.EndAsync(options.Grace);
        hush.CancelAfter(ChildProcess.LastOutput);
        await talk;

        if (!hasEnded)
            limit.ThrowIfOver();
        return (await child.Exited, error.LastWords);
    }

    private OutputLog Listener(HeldMessage message, string stream) =>
        new(options.LogLines, line => log.Wrote(message.Id, message.Queue, stream, line));

    private static async Task FeedAsync(ChildProcess child, ReadOnlyMemory<byte> body, CancellationToken cancel)
    {
        await child.FeedAsync(body, cancel);
        child.CloseInput();
    }

    private static async Task<bool> EndsBeforeAsync(Task<int> exited, CancellationToken over)
    {
        var called = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var onOver = over.UnsafeRegister(static called => ((TaskCompletionSource)called!).TrySetResult(), called);
        return await Task.WhenAny(exited, called.Task) == exited;
    }
}
