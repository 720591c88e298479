using System.Runtime.ExceptionServices;
using Holdfast.Broker;

namespace Holdfast.Worker.Commands;

/// <summary>Sends messages in their order, many on their way at once, and counts what the broker has confirmed.</summary>
internal sealed class Posting(ISender sender, TimeSpan delay, double? rate, TimeProvider time)
{
    // So many confirmations may be waited for at once.
    private const int AtOnce = 256;

    private long _sent;
    private long _inDoubt;
    private long _refused;
    private long _unsent;
    private Exception? _failure;

    /// <summary>How many the broker has.</summary>
    public long Sent => Interlocked.Read(ref _sent);

    /// <summary>How many it may have or not.</summary>
    public long InDoubt => Interlocked.Read(ref _inDoubt);

    /// <summary>How many it does not have: they, or what was asked for them, can't be.</summary>
    public long Refused => Interlocked.Read(ref _refused);

    /// <summary>How many it surely does not have, though it may take them later: they are like those whose turn has not come.</summary>
    public long Unsent => Interlocked.Read(ref _unsent);

    /// <summary>Sends all, or stops at the first that fails, which is thrown; what is on its way then is waited for.</summary>
    public async Task RunAsync(IAsyncEnumerable<Message> messages, IProgress<long> progress, CancellationToken cancel)
    {
        // A failure ends it as well, whatever is waited for just then: an input that pauses, or a low rate, may keep it from being seen for hours.
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        var (onTheirWay, pace) = (new Queue<Task>(), new Pace(rate, time));
        try
        {
            await foreach (var message in messages.WithCancellation(ending.Token))
            {
                await pace.NextAsync(ending.Token);

                // The first one alone: it opens what the others find open, so that none overtakes another.
                if (onTheirWay.Count == (Sent == 0 ? 1 : AtOnce))
                {
                    await onTheirWay.Peek().WaitAsync(ending.Token);
                    _ = onTheirWay.Dequeue();
                }

                ending.Token.ThrowIfCancellationRequested();
                onTheirWay.Enqueue(SendAsync(message, progress, ending));
            }
        }
        catch (OperationCanceledException) when (_failure is not null && !cancel.IsCancellationRequested)
        {
            // The failure is thrown below.
        }
        finally
        {
            await Task.WhenAll(onTheirWay);
        }

        if (_failure is not null)
            ExceptionDispatchInfo.Throw(_failure);
    }

    // Never fails itself: of many failures the first is the one to tell, for the others may come of it.
    private async Task SendAsync(Message message, IProgress<long> progress, CancellationTokenSource ending)
    {
        try
        {
            await sender.SendAsync(message, delay, CancellationToken.None);
            progress.Report(Interlocked.Increment(ref _sent));
        }
        catch (Exception problem)
        {
            if (problem is BrokerException broker)
                Interlocked.Increment(ref !broker.IsTransient ? ref _refused : ref broker.IsUnsent ? ref _unsent : ref _inDoubt);
            Interlocked.CompareExchange(ref _failure, problem, null);
            await ending.CancelAsync();
        }
    }
}
