using System.Runtime.CompilerServices;
using Holdfast.Broker;

namespace Holdfast.Worker.Commands;

/// <summary>Sends messages, many at once, and counts what the broker has confirmed.</summary>
internal sealed class Posting(ISender sender, TimeSpan delay, double? rate, TimeProvider time)
{
    // So many confirmations may be waited for at once.
    private const int AtOnce = 256;

    private long _sent;
    private long _inDoubt;

    /// <summary>How many the broker has.</summary>
    public long Sent => Interlocked.Read(ref _sent);

    /// <summary>How many it may have or not.</summary>
    public long InDoubt => Interlocked.Read(ref _inDoubt);

    /// <summary>Sends all, or stops at the first that fails; what is on its way then is waited for.</summary>
    public Task RunAsync(IAsyncEnumerable<Message> messages, IProgress<long> progress, CancellationToken cancel) =>
        Parallel.ForEachAsync(PacedAsync(messages, cancel), new ParallelOptions { MaxDegreeOfParallelism = AtOnce, CancellationToken = cancel }, async (message, _) =>
        {
            try
            {
                await sender.SendAsync(message, delay, CancellationToken.None);
                progress.Report(Interlocked.Increment(ref _sent));
            }
            catch (BrokerException)
            {
                Interlocked.Increment(ref _inDoubt);
                throw;
            }
        });

    private async IAsyncEnumerable<Message> PacedAsync(IAsyncEnumerable<Message> messages, [EnumeratorCancellation] CancellationToken cancel)
    {
        var pace = new Pace(rate, time);
        await foreach (var message in messages.WithCancellation(cancel))
        {
            await pace.NextAsync(cancel);
            yield return message;
        }
    }
}
