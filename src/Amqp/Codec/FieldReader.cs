namespace Holdfast.Amqp;

/// <summary>
/// Reads the fields of a composite in their order: null where one is null, or left out at the end. With a place for it, what can't be read is set aside
/// there instead of being an exception, and is null.
/// </summary>
internal ref struct FieldReader
{
    private readonly string _composite;
    private readonly UnreadParts? _unread;
    private readonly int _count;
    private AmqpReader _body;
    private int _left;

    public FieldReader(string composite, AmqpReader body, int count, UnreadParts? unread)
    {
        _composite = composite;
        _unread = unread;
        _count = count;
        _body = body;
        _left = count;
    }

    public bool? Boolean() => Next<bool>() ? _body.ReadBoolean() : null;

    /// <summary>A boolean that is false unless it is there.</summary>
    public bool Flag() => Next<bool>() && _body.ReadBoolean();

    public byte? UByte() => Next<byte>() ? _body.ReadUByte() : null;

    public ushort? UShort() => Next<ushort>() ? _body.ReadUShort() : null;

    public uint? UInt() => Next<uint>() ? _body.ReadUInt() : null;

    public ulong? ULong() => Next<ulong>() ? _body.ReadULong() : null;

    public AmqpTimestamp? Timestamp() => Next<AmqpTimestamp>() ? _body.ReadTimestamp() : null;

    public string? String() => Next<string>() ? _body.ReadString() : null;

    public Symbol? Symbol() => Next<Symbol>() ? _body.ReadSymbol() : default(Symbol?);

    public Symbol[]? Symbols() => Next() ? _body.ReadSymbols() : null;

    public byte[]? Binary(int most = int.MaxValue)
    {
        if (!Next<byte[]>())
            return null;
        var bytes = _body.ReadBinary();
        return bytes.Length <= most ? bytes.ToArray() : throw Wrong($"{bytes.Length} bytes where {most} is the most");
    }

    public object? Any() => Next<object>() ? _body.ReadValue() : null;

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

    // The same of one that is to be set aside where it is no such value.
    private bool Next<T>() => Next() && (_unread is null || IsOf<T>());

    private bool IsOf<T>()
    {
        var ahead = _body;
        try
        {
            if (ahead.ReadValue() is T)
                return true;
        }
        catch (AmqpDecodeException)
        {
            // What is wrong with it was told when the section could not be read.
        }

        var start = _body.Position;
        _body.Skip();
        _unread!.Add(_count - _left - 1, start, _body.Position);
        return false;
    }

    private readonly AmqpDecodeException Wrong(string problem) => new($"{_composite}: {problem}", _body.Position);
}
