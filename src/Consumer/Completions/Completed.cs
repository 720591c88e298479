using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>
/// The messages of one queue that were handled, though the broker may not know: those that this process could not settle, and those of a store
/// that outlives it, where there is one. A store that fails is told of, and done without. Any thread.
/// </summary>
internal sealed class Completed(string queue, IIdempotencyStore? store, TimeProvider time, ILogger log)
{
    private readonly CompletedIds _unsettled = new(time);
    private volatile bool _hasFailed;

    /// <summary>A message was handled, and could not be settled.</summary>
    public void Remember(string id) => _unsettled.Remember(id);

    /// <summary>A message was handled, and is to be settled next.</summary>
    public ValueTask StoreAsync(string id, CancellationToken cancel) => store is null ? default : StoreAsync(store, id, cancel);

    public ValueTask<bool> ContainsAsync(string id, CancellationToken cancel) =>
        _unsettled.Contains(id) ? new(true)
        : store is null ? new(false)
        : ContainsAsync(store, id, cancel);

    private async ValueTask StoreAsync(IIdempotencyStore store, string id, CancellationToken cancel)
    {
        try
        {
            await store.RememberAsync(queue, id, cancel);
            Recovered();
        }
        catch (Exception problem)
        {
            Failed(problem, cancel);
        }
    }

    private async ValueTask<bool> ContainsAsync(IIdempotencyStore store, string id, CancellationToken cancel)
    {
        try
        {
            var isKnown = await store.ContainsAsync(queue, id, cancel);
            Recovered();
            return isKnown;
        }
        catch (Exception problem)
        {
            Failed(problem, cancel);
            return false;
        }
    }

    // What was called off has not failed.
    private void Failed(Exception problem, CancellationToken cancel)
    {
        if (_hasFailed || cancel.IsCancellationRequested)
            return;

        _hasFailed = true;
        log.StoreFailed(queue, ErrorText.Of(problem));
    }

    private void Recovered()
    {
        if (!_hasFailed)
            return;

        _hasFailed = false;
        log.StoreRecovered(queue);
    }
}
