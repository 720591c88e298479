using Holdfast.Broker;

namespace Holdfast.Lab.Leases;

/// <summary>A broker that writes down what becomes of each message: the same witness for every row.</summary>
internal sealed class WatchedBroker(IBroker broker, Lives lives) : IBroker
{
    public string System => broker.System;

    public async ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) =>
        new Watched(await broker.OpenReceiverAsync(queue, cancel).ConfigureAwait(false), lives);

    public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) => broker.OpenSenderAsync(queue, cancel);

    public ValueTask DisposeAsync() => broker.DisposeAsync();

    private sealed class Watched(IReceiver receiver, Lives lives) : IReceiver
    {
        public string Queue => receiver.Queue;

        public bool IsConnected => receiver.IsConnected;

        public int Epoch => receiver.Epoch;

        public int RenewalBatch => receiver.RenewalBatch;

        public async ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
        {
            var count = await receiver.ReceiveAsync(room, cancel).ConfigureAwait(false);
            for (var i = 0; i < count; i++)
                lives.Receive(room.Span[i].Message.Id);
            return count;
        }

        public async ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
        {
            await receiver.RenewAsync(due, outcomes, cancel).ConfigureAwait(false);
            for (var i = 0; i < due.Length; i++)
            {
                if (outcomes.Span[i] == Renewal.Lost)
                    lives.Lose(due.Span[i].Message.Id);
            }
        }

        public async ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
        {
            var isSettled = await receiver.SettleAsync(delivery, settlement, cancel).ConfigureAwait(false);
            if (!isSettled)
                lives.Lose(delivery.Message.Id);
            lives.End(delivery.Message.Id);
            return isSettled;
        }

        public void LetGo(Delivery delivery)
        {
            lives.Lose(delivery.Message.Id);
            lives.End(delivery.Message.Id);
            receiver.LetGo(delivery);
        }

        public ValueTask DisposeAsync() => receiver.DisposeAsync();
    }
}
