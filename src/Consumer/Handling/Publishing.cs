using System.Runtime.CompilerServices;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>Sends what a handler published, once it has returned Complete. A part of the attempt, on the message's strand.</summary>
internal static class Publishing
{
    public static Func<HeldMessage, CancellationToken, ValueTask<Settlement>> After(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Senders senders) =>
        (message, cancel) =>
        {
            message.BeginPublishing();
            var handling = Begin(handle, message, cancel);
            return handling.IsCompletedSuccessfully && message.EndPublishing().Count == 0 ? handling : FinishAsync(handling, message, senders);
        };

    /// <summary>For a handler with something around it, that may call it again or see to its failure: what it published counts only where it returned Complete.</summary>
    public static Func<HeldMessage, CancellationToken, ValueTask<Settlement>> Within(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle) =>
        async (message, cancel) =>
        {
            var before = message.Published.Count;
            var isWanted = false;
            try
            {
                var settlement = await handle(message, cancel);
                isWanted = settlement is { IsSaid: true, Kind: SettlementKind.Complete };
                return settlement;
            }
            finally
            {
                if (!isWanted)
                    message.Unpublish(before);
            }
        };

    private static ValueTask<Settlement> Begin(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, HeldMessage message, CancellationToken cancel)
    {
        try
        {
            return handle(message, cancel);
        }
        catch
        {
            message.EndPublishing();
            throw;
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<Settlement> FinishAsync(ValueTask<Settlement> handling, HeldMessage message, Senders senders)
    {
        IReadOnlyList<Publication> published;
        Settlement settlement;
        try
        {
            settlement = await handling;
        }
        finally
        {
            published = message.EndPublishing();
        }

        if (!settlement.IsSaid || settlement.Kind != SettlementKind.Complete || published.Count == 0)
            return settlement;

        // Whoever has the message now sends the same. But an attempt that only took too long is done: what it published is sent.
        var cancel = message.CalledOff;
        cancel.ThrowIfCancellationRequested();
        if (message.LeaseRemaining == TimeSpan.Zero)
            return Settlement.Abandon;
        await Task.WhenAll(published.Select(next => senders.SendAsync(next.Queue, next.Message, next.Delay, cancel).AsTask()));
        return settlement;
    }
}
