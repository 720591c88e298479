namespace Holdfast.Amqp;

/// <summary>What waits for the writer thread: the frames that have gathered, and the senders with more of them. Behind the gate.</summary>
internal sealed class Departures(IdleWatch idle) : IDisposable
{
    private readonly Queue<AmqpSender> _awaitingRoom = new();
    private bool _isWriterIdle;

    public Outgoing Outgoing { get; } = new();

    /// <summary>Whether there is something for the writer to send, or to look at.</summary>
    public bool IsWriterWanted => !Outgoing.IsEmpty || idle.IsLookWanted;

    /// <summary>Null where there are no threads.</summary>
    public Wire? Wire { get; set; }

    /// <summary>The sender has more than fits.</summary>
    public void AwaitRoom(AmqpSender sender) => _awaitingRoom.Enqueue(sender);

    /// <summary>What the writer is to send; left alone until it asks again.</summary>
    public ReadOnlySpan<byte> Take()
    {
        var bytes = Outgoing.Take();
        _isWriterIdle = bytes.IsEmpty;
        if (!bytes.IsEmpty)
            idle.NoteWrite(bytes.Length);
        for (var waiting = _awaitingRoom.Count; waiting > 0; waiting--)
            _awaitingRoom.Dequeue().OnRoom();
        return bytes;
    }

    /// <summary>The writer is awake, and looks: what there is from now on, it finds by itself.</summary>
    public void NoteLook()
    {
        _isWriterIdle = false;
        idle.NoteLook();
    }

    /// <summary>A turn ends. What is written on the reader thread waits for all that it has read.</summary>
    public void WakeWriter()
    {
        if (!_isWriterIdle || !IsWriterWanted || Wire is null || Wire.IsReaderThread)
            return;
        _isWriterIdle = false;
        Wire.Wake();
    }

    public void Dispose() => Outgoing.Dispose();
}
