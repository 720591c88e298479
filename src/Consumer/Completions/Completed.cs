using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>
/// The messages of one queue that were handled, though the broker may not know: those that this process could not settle, and those of a store
/// that outlives it, where there is one. A store that fails, or does not answer in time, is told of, and done without. Any thread.
/// </summary>
internal sealed class Completed(string queue, IIdempotencyStore? store, TimeProvider time, ILogger log)
{
    private const int MostUnsettled = 10_000;

    // A message is held while its store is waited for, and takes a slot.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly InMemoryIdempotencyStore _unsettled = new(MostUnsettled, time: time);
    private bool _failsToKeep;
    private bool _failsToAnswer;

    // A disk that is full can be read: the one may fail, and the other not.
    private bool Fails => Volatile.Read(ref _failsToKeep) || Volatile.Read(ref _failsToAnswer);

    /// <summary>A message was handled, and could not be settled.</summary>
    public void Remember(string id) => _unsettled.Remember(queue, id);

    /// <summary>A message was handled, and is to be settled next, if its lease is not lost by now: then above all it is to be remembered.</summary>
    public ValueTask StoreAsync(string id) => store is null ? default : StoreAsync(store, id);

    public ValueTask<bool> ContainsAsync(string id, CancellationToken cancel) =>
        _unsettled.Contains(queue, id) ? new(true)
        : store is null ? new(false)
        : ContainsAsync(store, id, cancel);

    private async ValueTask StoreAsync(IIdempotencyStore store, string id)
    {
        using var limit = new AttemptLimit(s_patience, time, CancellationToken.None);
        try
        {
            await store.RememberAsync(queue, id, limit.Token).AsTask().WaitAsync(limit.Token);
            Recovered(ref _failsToKeep);
        }
        catch (Exception problem)
        {
            Failed(ref _failsToKeep, problem, limit);
        }
    }

    private async ValueTask<bool> ContainsAsync(IIdempotencyStore store, string id, CancellationToken cancel)
    {
        using var limit = new AttemptLimit(s_patience, time, cancel);
        try
        {
            var isKnown = await store.ContainsAsync(queue, id, limit.Token).AsTask().WaitAsync(limit.Token);
            Recovered(ref _failsToAnswer);
            return isKnown;
        }
        catch (Exception problem)
        {
            // What was called off has not failed.
            if (!cancel.IsCancellationRequested)
                Failed(ref _failsToAnswer, problem, limit);
            return false;
        }
    }

    private void Failed(ref bool fails, Exception problem, AttemptLimit limit)
    {
        var isTold = Fails;
        if (!Interlocked.Exchange(ref fails, true) && !isTold)
            log.StoreFailed(queue, limit.IsOver ? $"It has not answered within {s_patience.TotalSeconds:0} s." : ErrorText.Of(problem));
    }

    private void Recovered(ref bool fails)
    {
        if (Volatile.Read(ref fails) && Interlocked.Exchange(ref fails, false) && !Fails)
            log.StoreRecovered(queue);
    }
}
