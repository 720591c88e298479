namespace Holdfast.Amqp;

/// <summary>A message on its way out, and what its sender waits for. Behind the gate.</summary>
internal sealed class Outbound(AmqpSender sender, Gate gate, ReadOnlyMemory<byte> payload, uint format, bool isSettled, Action? onLeft) : Pending<DeliveryState>(gate)
{
    private ReadOnlyMemory<byte> _rest = payload;

    public AmqpSender Sender => sender;

    public uint Format => format;

    public bool IsSettled => isSettled;

    /// <summary>Its number in the session, once it has begun to leave.</summary>
    public uint? Id { get; private set; }

    public ReadOnlySpan<byte> Rest => _rest.Span;

    public void Begin(uint id) => Id = id;

    public void Advance(int bytes) => _rest = _rest[bytes..];

    /// <summary>All of it is on its way.</summary>
    public void Leave() => onLeft?.Invoke();

    protected override void OnCalledOff()
    {
        // It may belong to another by now.
        _rest = default;
        sender.OnCalledOff(this);
    }
}
