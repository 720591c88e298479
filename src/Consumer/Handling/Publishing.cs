using System.Runtime.CompilerServices;
using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>Sends what a handler published, once it has returned Complete. A part of the attempt, on the message's strand.</summary>
internal static class Publishing
{
    public static Handle After(Handle handle, Senders senders) =>
        (message, cancel) =>
        {
            // An attempt that failed may have left something running, and the message that it was given takes nothing more.
            var call = message.Attempt == 1 ? message : message.ForCall();
            var handling = Begin(handle, call, cancel);
            return handling.IsCompletedSuccessfully && call.EndPublishing().Length == 0 ? handling : FinishAsync(handling, call, senders);
        };

    /// <summary>
    /// For a handler with something around it, that may call it again, or twice at once, or see to its failure: what it published counts only where that call of it
    /// returned Complete. And it runs on its strand, wherever it is called.
    /// </summary>
    public static Handle Within(Handle handle) =>
        async (message, cancel) =>
        {
            if (message.Strand is not { } strand)
                throw new InvalidOperationException("A middleware handed on a message of its own making, which nobody holds: hand on the one that it was given, or message.With(...) where it is to have other content.");

            var call = message.ForCall();
            Publication[] published;
            Settlement settlement;
            call.LineUp();
            try
            {
                settlement = await call.UntilEnd(TaskScheduler.Current == strand ? handle(call, cancel) : OnStrandAsync(strand, handle, call, cancel));
            }
            finally
            {
                published = call.EndPublishing();
            }

            if (settlement is { IsSaid: true, Kind: SettlementKind.Complete })
                message.Adopt(published);
            return settlement;
        };

    private static ValueTask<Settlement> OnStrandAsync(Strand strand, Handle handle, HeldMessage message, CancellationToken cancel) =>
        new(strand.Run(() => handle(message, cancel).AsTask()));

    private static ValueTask<Settlement> Begin(Handle handle, HeldMessage message, CancellationToken cancel)
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
        Publication[] published;
        Settlement settlement;
        try
        {
            settlement = await message.UntilEnd(handling);
        }
        finally
        {
            published = message.EndPublishing();
        }

        if (!settlement.IsSaid || settlement.Kind != SettlementKind.Complete || published.Length == 0)
            return settlement;

        // Whoever has the message now sends the same. But an attempt that only took too long is done: what it published is sent.
        var cancel = message.CalledOff;
        cancel.ThrowIfCancellationRequested();
        if (message.LeaseRemaining == TimeSpan.Zero)
            return Settlement.Abandon;
        await senders.SendAllAsync(published, cancel);
        return settlement;
    }
}
