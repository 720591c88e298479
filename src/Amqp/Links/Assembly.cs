using System.Buffers;

namespace Holdfast.Amqp;

/// <summary>Puts a message together from the frames that carry it. Behind the gate.</summary>
internal sealed class Assembly(int mostBytes)
{
    private byte[] _bytes = [];
    private int _length;

    /// <summary>The delivery whose last frame has not come yet.</summary>
    public AmqpDelivery? Current { get; private set; }

    public void Begin(AmqpDelivery delivery) => Current = delivery;

    /// <summary>False where the message is larger than what is taken.</summary>
    public bool TryAdd(ReadOnlySpan<byte> piece)
    {
        if (piece.Length > mostBytes - _length)
            return false;
        if (_bytes.Length - _length < piece.Length)
            Grow(_length + piece.Length);
        piece.CopyTo(_bytes.AsSpan(_length));
        _length += piece.Length;
        return true;
    }

    /// <summary>The whole message, with its last piece; null where it is larger than what is taken.</summary>
    public byte[]? End(ReadOnlySpan<byte> last)
    {
        if (last.Length > mostBytes - _length)
            return null;
        var whole = GC.AllocateUninitializedArray<byte>(_length + last.Length);
        _bytes.AsSpan(0, _length).CopyTo(whole);
        last.CopyTo(whole.AsSpan(_length));
        Drop();
        return whole;
    }

    public void Drop()
    {
        if (_bytes.Length > 0)
            ArrayPool<byte>.Shared.Return(_bytes);
        (_bytes, _length, Current) = ([], 0, null);
    }

    private void Grow(int needed)
    {
        // In proportion to what has come, not to what was announced.
        var larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(Math.Max(needed, 2L * _bytes.Length), Array.MaxLength));
        _bytes.AsSpan(0, _length).CopyTo(larger);
        if (_bytes.Length > 0)
            ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = larger;
    }
}
