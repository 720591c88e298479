using System.Threading.Channels;
using Holdfast.Amqp;

namespace Holdfast.Tests.Integration;

/// <summary>A receiver of AMQP messages, and what came by it. It goes on off the connection's thread, so that tests may wait as they like.</summary>
internal sealed class Inbox
{
    private readonly Channel<AmqpDelivery> _arrived = Channel.CreateUnbounded<AmqpDelivery>();

    private readonly ReceiverSettleMode _mode;

    private Inbox(ReceiverSettleMode mode) => _mode = mode;

    public AmqpReceiver Receiver { get; private set; } = null!;

    public TaskCompletionSource<AmqpException> Closed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public int Waiting => _arrived.Reader.Count;

    public static async Task<Inbox> OpenAsync(AmqpSession session, string address, uint credit = 0, ReceiverSettleMode mode = ReceiverSettleMode.Second, bool renews = false)
    {
        using var patience = new CancellationTokenSource(Peers.Patience);
        var inbox = new Inbox(mode);
        var options = new ReceiverOptions
        {
            Source = new Source { Address = address },
            SettleMode = mode,
            Credit = credit,
            RenewsCredit = renews,
            OnDelivery = delivery => inbox._arrived.Writer.TryWrite(delivery),
            OnClosed = inbox.Closed.SetResult,
        };
        inbox.Receiver = await session.OpenReceiverAsync(options, patience.Token);
        return inbox;
    }

    public async Task<AmqpDelivery> TakeAsync()
    {
        using var patience = new CancellationTokenSource(Peers.Patience);
        return await _arrived.Reader.ReadAsync(patience.Token);
    }

    /// <summary>Settles as the link does: at once, or when the peer has.</summary>
    public async Task<DeliveryState> SettleAsync(AmqpDelivery delivery, DeliveryState state)
    {
        if (_mode == ReceiverSettleMode.First)
        {
            Receiver.Settle(delivery, state);
            return state;
        }

        using var patience = new CancellationTokenSource(Peers.Patience);
        return await Receiver.SettleAsync(delivery, state, patience.Token);
    }

    public static byte[] Body(AmqpDelivery delivery) => ((DataBody)AmqpMessage.Decode(delivery.Payload).Body!).Bytes.ToArray();
}
