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

    /// <summary>How many the broker has.</summary>
    public long Sent => Interlocked.Read(ref _sent);

    /// <summary>How many it may have or not.</summary>
    public long InDoubt => Interlocked.Read(ref _inDoubt);

    /// <summary>How many it does not have: they, or what was asked for them, can't be.</summary>
    public long Refused => Interlocked.Read(ref _refused);

    /// <summary>Sends all, or stops at the first that fails; what is on its way then is waited for.</summary>
    public async Task RunAsync(IAsyncEnumerable<Message> messages, IProgress<long> progress, CancellationToken cancel)
    {
        var (onTheirWay, pace) = (new Queue<Task>(), new Pace(rate, time));
        try
        {
            await foreach (var message in messages.WithCancellation(cancel))
            {
                await pace.NextAsync(cancel);

                // The first one alone: it opens what the others find open, so that none overtakes another.
                if (onTheirWay.Count == (Sent == 0 ? 1 : AtOnce))
                    await onTheirWay.Dequeue();
                onTheirWay.Enqueue(SendAsync(message, progress));
            }
        }
        finally
        {
            await Task.WhenAll(onTheirWay);
        }
    }

    private async Task SendAsync(Message message, IProgress<long> progress)
    {
        try
        {
            await sender.SendAsync(message, delay, CancellationToken.None);
            progress.Report(Interlocked.Increment(ref _sent));
        }
        catch (BrokerException problem)
        {
            Interlocked.Increment(ref problem.IsTransient ? ref _inDoubt : ref _refused);
            throw;
        }
    }
}
