namespace Holdfast.Amqp;

internal ref partial struct AmqpReader
{
    // Each costs an exception.
    private const int MostWrong = 8;

    /// <summary>The items of a list, each as <see cref="ReadValue"/> gives it.</summary>
    public object?[] ReadList() => List(ReadCode());

    /// <summary>A map with keys of any scalar type.</summary>
    public AmqpMap ReadMap() => Map(ReadCode());

    /// <summary>A map with symbols for keys.</summary>
    public AmqpFields ReadFieldMap()
    {
        var outer = EnterMap(ReadCode(), out var pairs);
        var map = new AmqpFields(pairs);
        for (; pairs > 0; pairs--)
            Add(map, new Symbol(Name()));
        Leave(outer);
        return map;
    }

    /// <summary>A map with strings for keys.</summary>
    public ApplicationProperties ReadApplicationProperties()
    {
        var outer = EnterMap(ReadCode(), out var pairs);
        var map = new ApplicationProperties(pairs);
        for (; pairs > 0; pairs--)
            Add(map, Name());
        Leave(outer);
        return map;
    }

    /// <summary>What of such a map can be read, for a person: where much is wrong, its beginning.</summary>
    internal void ReadIfReadable(ApplicationProperties map)
    {
        try
        {
            EnterMap(ReadCode(), out var pairs);
            for (var wrong = 0; pairs > 0 && wrong < MostWrong; pairs--)
            {
                var pair = this;
                try
                {
                    map.TryAdd(Name(), ReadValue());
                }
                catch (AmqpDecodeException)
                {
                    wrong++;
                    this = pair;
                    Skip();
                    Skip();
                }
            }
        }
        catch (AmqpDecodeException)
        {
            // There is no more to be made of it.
        }
    }

    /// <summary>What of a map can be read, and the rest as it came. What has no name, or one that is no text, is left out.</summary>
    /// <param name="map">Where it goes.</param>
    /// <param name="payload">What is being read.</param>
    internal void ReadIfReadable(AmqpFields map, ReadOnlyMemory<byte> payload)
    {
        try
        {
            EnterMap(ReadCode(), out var pairs);
            for (var wrong = 0; pairs > 0; pairs--)
            {
                var key = this;
                Skip();
                var value = this;
                Skip();
                if (key.NameIfText() is not { } name)
                    continue;

                // What is said twice is nothing to go by.
                if (!map.TryAdd(name, value.ValueIfReadable(payload[value._position.._position], ref wrong)))
                    map[name] = new UnreadValue(payload[value._position.._position]);
            }
        }
        catch (AmqpDecodeException)
        {
            // There is no more to be made of it.
        }
    }

    /// <summary>Reads the list that a composite's fields are; this reader then stands behind it.</summary>
    /// <param name="composite">Whose fields they are.</param>
    /// <param name="unread">Where those go that can't be read; without it, that is an exception.</param>
    internal FieldReader ReadFields(string composite, UnreadParts? unread = null)
    {
        var outer = EnterList(ReadCode(), out var count);
        var fields = new FieldReader(composite, this, count, unread);
        _position = _bytes.Length;
        Leave(outer);
        return fields;
    }

    // A number or a time can't be wrong, so however many others are, those of the peer's own are found behind them.
    private object? ValueIfReadable(ReadOnlyMemory<byte> encoded, ref int wrong)
    {
        if (wrong == MostWrong && !FormatCode.IsOfAnyBits(encoded.Span[0]))
            return new UnreadValue(encoded);
        try
        {
            return ReadValue();
        }
        catch (AmqpDecodeException)
        {
            wrong++;
            return new UnreadValue(encoded);
        }
    }

    private object?[] List(byte code)
    {
        var outer = EnterList(code, out var count);
        var items = count == 0 ? [] : new object?[count];
        for (var i = 0; i < count; i++)
            items[i] = ReadValue();
        Leave(outer);
        return items;
    }

    private AmqpMap Map(byte code)
    {
        var outer = EnterMap(code, out var pairs);
        var map = new AmqpMap(pairs);
        for (; pairs > 0; pairs--)
            Add(map, Key());
        Leave(outer);
        return map;
    }

    private object Key()
    {
        var start = _position;
        return ReadValue() switch
        {
            byte[] bytes => bytes,
            null or System.Array or AmqpMap or Amqp.Described or UByteArray or NullArray or NestedArray =>
                throw new AmqpDecodeException("A map's key that is no scalar value", start),
            var key => key,
        };
    }

    private void Add<TKey>(OrderedDictionary<TKey, object?> map, TKey key)
        where TKey : notnull
    {
        if (!map.TryAdd(key, ReadValue()))
            throw Wrong("A key that its map has already");
    }

    private ReadOnlySpan<byte> EnterList(byte code, out int count)
    {
        switch (code)
        {
            case FormatCode.List0:
                var outer = _bytes;
                _bytes = _bytes[.._position];
                Deepen();
                count = 0;
                return outer;
            case FormatCode.List8 or FormatCode.List32:
                return EnterItems(code == FormatCode.List32, out count);
            default:
                throw Unexpected(code, "a list");
        }
    }

    private ReadOnlySpan<byte> EnterMap(byte code, out int pairs)
    {
        if (code is not (FormatCode.Map8 or FormatCode.Map32))
            throw Unexpected(code, "a map");
        var outer = EnterItems(code == FormatCode.Map32, out var count);
        if (int.IsOddInteger(count))
            throw Wrong($"A map of {count} keys and values: one has no partner");
        pairs = count / 2;
        return outer;
    }

    // Each item takes a byte at least, so a count can't promise more than is there.
    private ReadOnlySpan<byte> EnterItems(bool isWide, out int count)
    {
        var outer = Enter(isWide, out count);
        return count <= Remaining ? outer : throw Wrong($"{count} items in {Remaining} bytes");
    }

    private ReadOnlySpan<byte> Enter(bool isWide, out int count)
    {
        var size = isWide ? Size32() : Size8();
        if (size > Remaining)
            throw TooShort(size);
        var outer = _bytes;
        _bytes = _bytes[..(_position + (int)size)];
        Deepen();
        var items = isWide ? Size32() : Size8();
        if (items > _limits.MaxItems)
            throw Wrong($"{items} items, but no more than {_limits.MaxItems} are taken");
        count = (int)items;
        return outer;
    }

    private void Leave(ReadOnlySpan<byte> outer)
    {
        if (!IsAtEnd)
            throw Wrong($"{Remaining} bytes too many in a list, map or array");
        _bytes = outer;
        _depth--;
    }

    private void Deepen()
    {
        if (++_depth > _limits.MaxDepth)
            throw Wrong($"Values more than {_limits.MaxDepth} deep within one another");
    }
}
