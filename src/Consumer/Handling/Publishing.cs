using System.Runtime.CompilerServices;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>Sends what a handler published, once it has returned Complete. A part of the attempt, on the message's strand.</summary>
internal static class Publishing
{
    public static Func<HeldMessage, CancellationToken, ValueTask<Settlement>> After(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Senders senders) =>
        (message, cancel) =>
        {
            var handling = handle(message, cancel);
            return handling.IsCompletedSuccessfully && message.Published.Count == 0 ? handling : FinishAsync(handling, message, senders, cancel);
        };

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<Settlement> FinishAsync(ValueTask<Settlement> handling, HeldMessage message, Senders senders, CancellationToken cancel)
    {
        var settlement = await handling;
        if (settlement.Kind != SettlementKind.Complete || message.Published.Count == 0)
            return settlement;

        // Whoever has the message now sends the same.
        cancel.ThrowIfCancellationRequested();
        await Task.WhenAll(message.Published.Select(next => senders.SendAsync(next.Queue, next.Message, next.Delay, cancel).AsTask()));
        return settlement;
    }
}
