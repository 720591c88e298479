using Holdfast.Broker;

namespace Holdfast.Tests.Unit.Worker.Commands;

/// <summary>A broker that keeps what it is sent, until it fails.</summary>
internal sealed class Postbox : IBroker, ISender
{
    /// <summary>What it was sent, in order.</summary>
    public List<Message> Sent { get; } = [];

    public string? Queue { get; private set; }

    public TimeSpan Delay { get; private set; }

    /// <summary>How many it takes.</summary>
    public int Room { get; init; } = int.MaxValue;

    /// <summary>What it says of the rest.</summary>
    public BrokerException Problem { get; init; } = new("The broker is gone.", isTransient: true);

    public string System => "postbox";

    public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) => throw new NotSupportedException();

    public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel)
    {
        Queue = queue;
        return new(this);
    }

    public async ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
    {
        // As a broker's client does: whoever calls first is first, whenever the answers come.
        bool isFull;
        lock (Sent)
        {
            isFull = Sent.Count == Room;
            if (!isFull)
                Sent.Add(message);
            Delay = delay;
        }

        await Task.Yield();
        if (isFull)
            throw Problem;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
