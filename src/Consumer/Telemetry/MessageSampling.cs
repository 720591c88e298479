using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>
/// Which messages are measured: all of them at ordinary rates; one in many where they come by the ten thousand a second, and that one counts for all,
/// so that measuring costs the same whatever the load. Any thread.
/// </summary>
internal sealed class MessageSampling
{
    private const int MostPerLook = 1024;
    private const int Sparsest = 1 << 16;

    [ThreadStatic]
    private static uint t_messages;

    private int _every = 1;
    private int _measured;
    private long _counted;

    /// <summary>For how many messages the next one counts; 0 where it is not measured.</summary>
    public int Weight()
    {
        var every = Volatile.Read(ref _every);
        if (!EvenSample.Includes(++t_messages, every))
            return 0;

        // A rush that begins between two looks does not wait for the next one.
        if (Interlocked.Increment(ref _measured) > MostPerLook && every < Sparsest && Interlocked.CompareExchange(ref _every, every << 1, every) == every)
            Volatile.Write(ref _measured, 0);
        return every;
    }

    /// <summary>Told ten times a second how many messages there have been so far.</summary>
    public void Adapt(long messages)
    {
        var every = 1;
        while (every < Sparsest && (messages - _counted) / every > MostPerLook)
            every <<= 1;
        _counted = messages;
        Volatile.Write(ref _measured, 0);
        Volatile.Write(ref _every, every);
    }
}
