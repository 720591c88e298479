namespace Holdfast.Amqp;

/// <summary>Reads the fields of a composite in their order: null where one is null, or left out at the end.</summary>
internal ref struct FieldReader
{
    private readonly string _composite;
    private AmqpReader _body;
    private int _left;

    public FieldReader(string composite, AmqpReader body, int count)
    {
        _composite = composite;
        _body = body;
        _left = count;
    }

    public bool? Boolean() => Next() ? _body.ReadBoolean() : null;

    /// <summary>A boolean that is false unless it is there.</summary>
    public bool Flag() => Next() && _body.ReadBoolean();

    public byte? UByte() => Next() ? _body.ReadUByte() : null;

    public ushort? UShort() => Next() ? _body.ReadUShort() : null;

    public uint? UInt() => Next() ? _body.ReadUInt() : null;

    public ulong? ULong() => Next() ? _body.ReadULong() : null;

    public AmqpTimestamp? Timestamp() => Next() ? _body.ReadTimestamp() : null;

    public string? String() => Next() ? _body.ReadString() : null;

    public Symbol? Symbol() => Next() ? _body.ReadSymbol() : default(Symbol?);

    public Symbol[]? Symbols() => Next() ? _body.ReadSymbols() : null;

    public byte[]? Binary(int most = int.MaxValue)
    {
        if (!Next())
            return null;
        var bytes = _body.ReadBinary();
        return bytes.Length <= most ? bytes.ToArray() : throw Wrong($"{bytes.Length} bytes where {most} is the most");
    }

    public object? Any() => Next() ? _body.ReadValue() : null;

    public AmqpFields? Map() => Next() ? _body.ReadFieldMap() : null;

    public AmqpMap? AnyMap() => Next() ? _body.ReadMap() : null;

    public Role? Role() => Next() ? (_body.ReadBoolean() ? Amqp.Role.Receiver : Amqp.Role.Sender) : null;

    public SenderSettleMode? SenderSettleMode() => Mode((byte)Amqp.SenderSettleMode.Mixed) is { } mode ? (SenderSettleMode)mode : null;

    public ReceiverSettleMode? ReceiverSettleMode() => Mode((byte)Amqp.ReceiverSettleMode.Second) is { } mode ? (ReceiverSettleMode)mode : null;

    public DeliveryState? State() => Next() ? DeliveryState.Decode(ref _body) : null;

    public Source? Source() => Next() ? Amqp.Source.DecodeDescribed(ref _body) : null;

    public LinkTarget? Target() => Next() ? LinkTarget.Decode(ref _body) : null;

    public AmqpError? Error() => Next() ? AmqpError.DecodeDescribed(ref _body) : null;

    public readonly AmqpDecodeException Missing(string field) => Wrong($"no {field}, which it must have");

    /// <summary>Fields that we know nothing of are passed over, for a later minor version may have some.</summary>
    public void End()
    {
        for (; _left > 0; _left--)
            _body.Skip();
        if (!_body.IsAtEnd)
            throw Wrong($"{_body.Remaining} bytes too many");
    }

    private byte? Mode(byte last) => UByte() switch
    {
        null => null,
        { } mode when mode <= last => mode,
        { } mode => throw Wrong($"settle mode {mode}, which there is not"),
    };

    // Whether there is a field to be read, and it isn't null.
    private bool Next()
    {
        if (_left == 0)
            return false;
        _left--;
        return !_body.TryReadNull();
    }

    private readonly AmqpDecodeException Wrong(string problem) => new($"{_composite}: {problem}", _body.Position);
}
