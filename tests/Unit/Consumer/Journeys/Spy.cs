using Holdfast.Broker;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>
/// Watches all that the engine asks of a broker, and reckons by itself until when each lease may be trusted:
/// from when it came, or was asked for, for the length of the lock less the least margin.
/// </summary>
internal sealed class Spy(IBroker broker, VirtualTime time) : IBroker
{
    private static readonly TimeSpan s_leastMargin = TimeSpan.FromMilliseconds(250);
    private readonly Dictionary<Delivery, TimeSpan> _trustedUntil = [];

    public string System => broker.System;

    /// <summary>All that happened, in order: for one run to be compared with another.</summary>
    public List<string> Events { get; } = [];

    /// <summary>The settlements that the broker took, such as "a Complete".</summary>
    public List<string> Settled { get; } = [];

    /// <summary>The settlements that were sent although the lease could not be trusted.</summary>
    public List<string> Untrusted { get; } = [];

    /// <summary>What the engine told the broker that it does not trust any more.</summary>
    public List<Delivery> LetGo { get; } = [];

    /// <summary>How many messages the broker has handed over.</summary>
    public int Received { get; private set; }

    public int SettlementsUnderWay { get; private set; }

    public int ReceivesUnderWay { get; private set; }

    /// <summary>What stands in for the broker when it is asked for messages, if anything does.</summary>
    public Func<Task<int>>? OnReceive { get; set; }

    /// <summary>What messages that the broker has handed over wait for on their way.</summary>
    public Task Way { get; set; } = Task.CompletedTask;

    /// <summary>What the broker says that is in the way.</summary>
    public string? Obstacle { get; set; }

    /// <summary>What the broker says of settlements that it may not have heard of, once a queue is closed.</summary>
    public string? Unheard { get; set; }

    /// <summary>What happens when a queue is closed.</summary>
    public Func<string, Task> OnClose { get; set; } = _ => Task.CompletedTask;

    /// <summary>Whether the queue that was opened last is to be handled in order.</summary>
    public bool IsInOrder { get; private set; }

    public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) => OpenReceiverAsync(queue, inOrder: false, cancel);

    public async ValueTask<IReceiver> OpenReceiverAsync(string queue, bool inOrder, CancellationToken cancel)
    {
        IsInOrder = inOrder;
        return new SpyReceiver(this, await broker.OpenReceiverAsync(queue, inOrder, cancel));
    }

    public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) => broker.OpenSenderAsync(queue, cancel);

    public ValueTask DisposeAsync() => broker.DisposeAsync();

    public void Note(string what) => Events.Add($"{time.Elapsed.TotalSeconds:0.0000} {what}");

    private void Trust(Delivery delivery, TimeSpan since)
    {
        var quarter = delivery.LockDuration / 4;
        var until = delivery.LockDuration < TimeSpan.MaxValue ? since + delivery.LockDuration - (s_leastMargin < quarter ? s_leastMargin : quarter) : TimeSpan.MaxValue;
        if (_trustedUntil.GetValueOrDefault(delivery) < until)
            _trustedUntil[delivery] = until;
    }

    private sealed class SpyReceiver(Spy spy, IReceiver receiver) : IReceiver
    {
        public string Queue => receiver.Queue;

        public bool IsConnected => receiver.IsConnected;

        public int Epoch => receiver.Epoch;

        public string? Obstacle => spy.Obstacle;

        public string? Unheard => spy.Unheard;

        public int RenewalBatch => receiver.RenewalBatch;

        public async ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
        {
            var taken = await TakeAsync(room, cancel);
            spy.Received += taken;
            foreach (var delivery in room.Span[..taken])
            {
                spy.Trust(delivery, spy.Now);
                spy.Note($"received {delivery.Message.Id} {delivery.DeliveryCount}");
            }

            return taken;
        }

        public async ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
        {
            var asked = spy.Now;
            await receiver.RenewAsync(due, outcomes, cancel);
            for (var i = 0; i < due.Length; i++)
            {
                var (delivery, outcome) = (due.Span[i], outcomes.Span[i]);
                spy.Note($"renewal of {delivery.Message.Id}: {outcome}");
                if (outcome == Renewal.Renewed)
                    spy.Trust(delivery, asked);
            }
        }

        public async ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
        {
            var what = $"{delivery.Message.Id} {settlement.Kind}";
            spy.Note($"settling {what}");
            if (spy.Now >= spy._trustedUntil[delivery] && !cancel.IsCancellationRequested)
                spy.Untrusted.Add(what);

            spy.SettlementsUnderWay++;
            try
            {
                var isTaken = await receiver.SettleAsync(delivery, settlement, cancel);
                spy.Note($"settled {what}: {isTaken}");
                if (isTaken)
                    spy.Settled.Add(what);
                return isTaken;
            }
            finally
            {
                spy.SettlementsUnderWay--;
            }
        }

        public void LetGo(Delivery delivery)
        {
            spy.Note($"let go of {delivery.Message.Id}");
            spy.LetGo.Add(delivery);
            receiver.LetGo(delivery);
        }

        public async ValueTask DisposeAsync()
        {
            await spy.OnClose(Queue);
            await receiver.DisposeAsync();
        }

        private async ValueTask<int> TakeAsync(Memory<Delivery> room, CancellationToken cancel)
        {
            spy.ReceivesUnderWay++;
            try
            {
                var taken = spy.OnReceive is { } instead ? await instead() : await receiver.ReceiveAsync(room, cancel);
                await spy.Way;
                return taken;
            }
            finally
            {
                spy.ReceivesUnderWay--;
            }
        }
    }

    private TimeSpan Now => time.Elapsed;
}
