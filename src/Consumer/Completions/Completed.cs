using Holdfast.Broker;
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

    // A disk that is full can be read: the one may fail, and the other not.
    private readonly StoreUse _keeping = new();
    private readonly StoreUse _answering = new();

    private bool Fails => _keeping.Fails || _answering.Fails;

    /// <summary>A message was handled, and could not be settled.</summary>
    public void Remember(Delivery delivery)
    {
        if (Sameness.KeyOf(delivery) is { } key)
            _unsettled.Remember(queue, key);
    }

    /// <summary>A message was handled, and is to be settled next, if its lease is not lost by now: then above all it is to be remembered.</summary>
    public ValueTask StoreAsync(Delivery delivery) =>
        store is not null && Sameness.KeyOf(delivery) is { } key ? StoreAsync(store, key) : default;

    /// <summary>Whether a message was handled here, and could not be settled.</summary>
    public bool Contains(Delivery delivery) =>
        !_unsettled.IsEmpty && Sameness.KeyOf(delivery) is { } key && _unsettled.Contains(queue, key);

    /// <summary>Whether a store knows that a message was handled. The answer takes its time.</summary>
    public ValueTask<bool> IsStoredAsync(Delivery delivery, CancellationToken cancel) =>
        store is not null && Sameness.KeyOf(delivery) is { } key ? IsStoredAsync(store, key, cancel) : new(false);

    private async ValueTask StoreAsync(IIdempotencyStore store, string key) =>
        await TryAsync(_keeping, limit => store.RememberAsync(queue, key, limit).AsTask(), CancellationToken.None);

    private async ValueTask<bool> IsStoredAsync(IIdempotencyStore store, string key, CancellationToken cancel)
    {
        var answer = Task.FromResult(false);
        var isAnswered = await TryAsync(_answering, limit => answer = store.ContainsAsync(queue, key, limit).AsTask(), cancel);
        return isAnswered && await answer;
    }

    // False where the store has failed, or has not answered in time, or was not asked at all.
    private async ValueTask<bool> TryAsync(StoreUse use, Func<CancellationToken, Task> ask, CancellationToken cancel)
    {
        if (!use.TryBegin())
            return false;

        using var limit = new AttemptLimit(s_patience, time, cancel);
        try
        {
            await ask(limit.Token).WaitAsync(limit.Token);
            Recovered(use);
            return true;
        }
        catch (Exception problem)
        {
            // What was called off has not failed.
            if (!cancel.IsCancellationRequested)
                Failed(use, problem, limit);
            return false;
        }
        finally
        {
            use.End();
        }
    }

    private void Failed(StoreUse use, Exception problem, AttemptLimit limit)
    {
        var isTold = Fails;
        if (use.TryFail() && !isTold)
            log.StoreFailed(queue, limit.IsOver ? $"It has not answered within {s_patience.TotalSeconds:0} s." : ErrorText.Of(problem));
    }

    private void Recovered(StoreUse use)
    {
        if (use.TryRecover() && !Fails)
            log.StoreRecovered(queue);
    }

    /// <summary>One of the two things that a store does. While it fails, one message at a time finds out whether it still does, and no other waits for that.</summary>
    private sealed class StoreUse
    {
        private bool _fails;
        private int _using;

        public bool Fails => Volatile.Read(ref _fails);

        public bool TryBegin()
        {
            if (Interlocked.Increment(ref _using) == 1 || !Fails)
                return true;
            End();
            return false;
        }

        public void End() => Interlocked.Decrement(ref _using);

        public bool TryFail() => !Interlocked.Exchange(ref _fails, true);

        public bool TryRecover() => Fails && Interlocked.Exchange(ref _fails, false);
    }
}
