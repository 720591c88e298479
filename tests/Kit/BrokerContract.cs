using System.Globalization;
using System.Text;
using Holdfast.Broker;
using Xunit;

namespace Holdfast.Tests.Kit;

/// <summary>What every broker must do: each sentence of the port, as a test.</summary>
public abstract partial class BrokerContract : IAsyncLifetime
{
    private static readonly Dictionary<string, object?> s_notes = new() { ["noted"] = "grün", ["number"] = 7 };

    // Two clocks that measure one delay may differ by so much.
    private static readonly TimeSpan s_clocks = TimeSpan.FromMilliseconds(50);

    protected BrokerUnderTest Subject { get; private set; } = null!;

    protected string Queue { get; private set; } = "";

    protected ISender Sender { get; private set; } = null!;

    protected IReceiver Receiver { get; private set; } = null!;

    public async ValueTask InitializeAsync()
    {
        Subject = await StartAsync();
        Queue = await Subject.NewQueueAsync();
        Sender = await Subject.Broker.OpenSenderAsync(Queue, default);
        Receiver = await OpenAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await Receiver.DisposeAsync();
        await Sender.DisposeAsync();
        await Subject.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Makes the broker that one test is about.</summary>
    protected abstract ValueTask<BrokerUnderTest> StartAsync();

    protected static Message Letter(string id, byte priority = 0) =>
        new() { Id = id, Body = Encoding.UTF8.GetBytes("body of " + id), Priority = priority };

    protected static IEnumerable<string> Ids(IEnumerable<Delivery> deliveries) => deliveries.Select(delivery => delivery.Message.Id);

    protected ValueTask<IReceiver> OpenAsync() => Subject.Broker.OpenReceiverAsync(Queue, default);

    protected void Needs(BrokerFeatures feature) =>
        Assert.SkipUnless(Subject.Features.HasFlag(feature), $"This broker has no {feature}.");

    protected async Task SendAsync(params string[] ids)
    {
        foreach (var id in ids)
            await Sender.SendAsync(Letter(id), TimeSpan.Zero, default);
    }

    protected async Task SendAsync(int count) =>
        await SendAsync([.. Enumerable.Range(0, count).Select(n => n.ToString(CultureInfo.InvariantCulture))]);

    protected async Task<Delivery[]> TakeAsync(IReceiver receiver, int count)
    {
        using var patience = new CancellationTokenSource(Subject.Patience);
        var taken = new Delivery[count];
        for (var had = 0; had < count;)
            had += await receiver.ReceiveAsync(taken.AsMemory(had), patience.Token);
        return taken;
    }

    protected async Task<Delivery> TakeAsync(IReceiver receiver) => (await TakeAsync(receiver, 1))[0];

    protected Task<Delivery> TakeAsync() => TakeAsync(Receiver);

    protected async Task NothingComesAsync(IReceiver receiver)
    {
        using var cancel = new CancellationTokenSource();
        var wait = receiver.ReceiveAsync(new Delivery[1], cancel.Token).AsTask();
        await Subject.QuietAsync();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wait);
    }

    /// <summary>Takes what is to come when the delay is over, and not before.</summary>
    /// <param name="before">A moment before it began to wait.</param>
    protected async Task<Delivery> TakeAfterDelayAsync(long before)
    {
        if (!Subject.HasEverybodysTime)
        {
            await NothingComesAsync(Receiver);
            await Subject.PassAsync(Subject.Delay);
            return await TakeAsync();
        }

        var delivery = await TakeAsync();
        Assert.InRange(Subject.Time.GetElapsedTime(before, delivery.ArrivedAt), Subject.Delay - s_clocks, TimeSpan.MaxValue);
        return delivery;
    }

    protected async Task<Renewal[]> RenewAsync(params Delivery[] due)
    {
        var outcomes = new Renewal[due.Length];
        await Receiver.RenewAsync(due, outcomes, default);
        return outcomes;
    }

    protected void IsDeliveryNumber(int count, Delivery delivery)
    {
        if (Subject.Features.HasFlag(BrokerFeatures.DeliveryCounts))
            Assert.Equal(count, delivery.DeliveryCount);
        else
            Assert.Equal(count > 1, delivery.DeliveryCount > 1);
    }

    protected async Task LeaseIsGoneAsync(Delivery delivery)
    {
        Assert.Contains(Assert.Single(await RenewAsync(delivery)), new[] { Renewal.Lost, Renewal.Severed });
        Assert.False(await Receiver.SettleAsync(delivery, Settlement.Complete, default));
    }
}
