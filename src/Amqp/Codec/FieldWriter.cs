namespace Holdfast.Amqp;

/// <summary>
/// Writes the fields of a composite in their order: where one is not set what could not be read there, or else a null, and nothing where none is set any more.
/// </summary>
internal struct FieldWriter(AmqpWriter writer, int start, UnreadParts? unread)
{
    private int _count;
    private int _unset;

    public void Boolean(bool? value)
    {
        if (Next(value.HasValue))
            writer.WriteBoolean(value.GetValueOrDefault());
    }

    /// <summary>A boolean that is false unless it is set.</summary>
    public void Flag(bool value)
    {
        if (Next(value))
            writer.WriteBoolean(value);
    }

    public void UByte(byte? value)
    {
        if (Next(value.HasValue))
            writer.WriteUByte(value.GetValueOrDefault());
    }

    public void UByte(byte value, byte unless)
    {
        if (Next(value != unless))
            writer.WriteUByte(value);
    }

    public void UShort(ushort? value)
    {
        if (Next(value.HasValue))
            writer.WriteUShort(value.GetValueOrDefault());
    }

    public void UShort(ushort value, ushort unless)
    {
        if (Next(value != unless))
            writer.WriteUShort(value);
    }

    public void UInt(uint? value)
    {
        if (Next(value.HasValue))
            writer.WriteUInt(value.GetValueOrDefault());
    }

    public void UInt(uint value, uint unless)
    {
        if (Next(value != unless))
            writer.WriteUInt(value);
    }

    public void ULong(ulong? value)
    {
        if (Next(value.HasValue))
            writer.WriteULong(value.GetValueOrDefault());
    }

    public void Timestamp(AmqpTimestamp? value)
    {
        if (Next(value.HasValue))
            writer.WriteTimestamp(value.GetValueOrDefault());
    }

    public void String(string? value)
    {
        if (Next(value is not null))
            writer.WriteString(value!);
    }

    public void Symbol(Symbol? value)
    {
        if (Next(value.HasValue))
            writer.WriteSymbol(value.GetValueOrDefault());
    }

    public void Symbols(Symbol[]? values)
    {
        if (Next(values is not null))
            writer.WriteArray(values.AsSpan());
    }

    public void Binary(byte[]? value)
    {
        if (Next(value is not null))
            writer.WriteBinary(value);
    }

    public void Any(object? value)
    {
        if (Next(value is not null))
            writer.WriteValue(value);
    }

    public void Map(AmqpFields? map)
    {
        if (Next(map is not null))
            writer.WriteMap(map!);
    }

    public void Map(AmqpMap? map)
    {
        if (Next(map is not null))
            writer.WriteMap(map!);
    }

    public void Role(Role role) => Boolean(role == Amqp.Role.Receiver);

    public void State(DeliveryState? state)
    {
        if (Next(state is not null))
            state!.Encode(writer);
    }

    public void Source(Source? source)
    {
        if (Next(source is not null))
            source!.Encode(writer);
    }

    public void Target(LinkTarget? target)
    {
        if (Next(target is not null))
            target!.Encode(writer);
    }

    public void Error(AmqpError? error)
    {
        if (Next(error is not null))
            error!.Encode(writer);
    }

    public readonly void End() => writer.EndList(start, _count);

    private bool Next(bool isSet)
    {
        if (isSet)
        {
            Begin();
        }
        else if (unread?.At(_count + _unset) is { IsEmpty: false } asItCame)
        {
            Begin();
            writer.WriteRaw(asItCame.Span);
        }
        else
        {
            _unset++;
        }

        return isSet;
    }

    // Nulls wait until a field comes that is there: those at the end are left out.
    private void Begin()
    {
        for (; _unset > 0; _unset--)
        {
            writer.WriteNull();
            _count++;
        }

        _count++;
    }
}
