namespace Holdfast.Amqp;

/// <summary>How much a peer may make us hold; each limit is checked before anything is allocated.</summary>
public sealed record AmqpLimits
{
    /// <summary>What every peer must take, by the specification.</summary>
    internal const uint LeastFrameSize = 512;

    private const uint LargestFrameSize = 256 * 1024 * 1024;
    private const int DeepestDepth = 256;

    public static AmqpLimits Default { get; } = new();

    /// <summary>Bytes of a frame, its header included. We tell it to the peer, who may send no larger one.</summary>
    public uint MaxFrameSize
    {
        get;
        init => field = value is >= LeastFrameSize and <= LargestFrameSize
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, $"The largest frame has {LeastFrameSize} to {LargestFrameSize} bytes.");
    } = 65_536;

    /// <summary>How deep lists, maps, arrays and described values may lie within one another.</summary>
    public int MaxDepth
    {
        get;
        init => field = value is >= 1 and <= DeepestDepth
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, $"Values may lie 1 to {DeepestDepth} deep within one another: the stack must bear them.");
    } = 32;

    /// <summary>Items of a list or an array, or keys and values of a map.</summary>
    public int MaxItems { get; init; } = 1_048_576;

    /// <summary>
    /// Array elements that take no bytes of their own (null, true, false, 0, the empty list), all arrays of a frame or message
    /// taken together: nothing else bounds how many of them a few bytes can promise.
    /// </summary>
    public int MaxBytelessItems { get; init; } = 4_096;

    /// <summary>Bytes of a string or symbol.</summary>
    public int MaxTextSize { get; init; } = 64 * 1024 * 1024;

    /// <summary>Bytes of a binary value.</summary>
    public int MaxBinarySize { get; init; } = 128 * 1024 * 1024;
}
