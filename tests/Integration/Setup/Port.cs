using System.Globalization;

namespace Holdfast.Tests.Integration;

/// <summary>What tests do with senders and receivers all the time.</summary>
internal static class Port
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    public static string[] Names(int count) => [.. Enumerable.Range(0, count).Select(n => n.ToString("000", CultureInfo.InvariantCulture))];

    public static async Task SendAsync(this IBroker broker, string queue, params string[] ids)
    {
        await using var sender = await broker.OpenSenderAsync(queue, default);
        foreach (var id in ids)
            await sender.SendAsync(id);
    }

    public static async Task SendAsync(this IBroker broker, string queue, Message message)
    {
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await sender.SendAsync(message);
    }

    public static Task SendAsync(this ISender sender, string id) => sender.SendAsync(new Message { Id = id });

    public static async Task SendAsync(this ISender sender, Message message)
    {
        using var patience = new CancellationTokenSource(s_patience);
        await sender.SendAsync(message, TimeSpan.Zero, patience.Token);
    }

    /// <summary>The next message; failures that pass are borne, as the engine bears them.</summary>
    public static async Task<Delivery> TakeAsync(this IReceiver receiver)
    {
        using var patience = new CancellationTokenSource(s_patience);
        var room = new Delivery[1];
        while (true)
        {
            try
            {
                await receiver.ReceiveAsync(room, patience.Token);
                return room[0];
            }
            catch (BrokerException problem) when (problem.IsTransient)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(100), patience.Token);
            }
        }
    }

    public static async Task<Renewal> RenewAsync(this IReceiver receiver, Delivery delivery)
    {
        var outcome = new Renewal[1];
        await receiver.RenewAsync(new[] { delivery }, outcome, default);
        return outcome[0];
    }

    public static async Task CompleteAsync(this IReceiver receiver, Delivery delivery) =>
        Assert.True(await receiver.SettleAsync(delivery, Settlement.Complete, default));
}
