using Holdfast.Amqp;

namespace Holdfast.Tests.Kit.Amqp;

/// <summary>
/// Feeds spoilt values, performatives, messages and streams of frames to whatever reads them. Each is read, or refused with an
/// <see cref="AmqpDecodeException"/>, and costs memory in proportion to its length; anything else is a <see cref="FuzzFailure"/>.
/// </summary>
internal sealed class Fuzz
{
    /// <summary>What a refusal itself and a few small objects take, and the buffers of whoever reads frames: a collection may have emptied the pool that they come from.</summary>
    private const long MostBytes = 128 * 1024;

    /// <summary>The dearest values take one byte on the wire and an object on the heap.</summary>
    private const long MostBytesForEach = 128;

    private const int Originals = 600;

    private readonly int _seed;
    private readonly Random _random;
    private readonly Mutator _mutator;
    private readonly (Reading Reading, byte[] Bytes)[] _originals;

    public Fuzz(int seed)
    {
        _seed = seed;
        _random = new Random(seed);
        _mutator = new Mutator(_random);
        _originals = [.. Enumerable.Range(0, Originals).Select(_ => Original())];
    }

    private enum Reading
    {
        Value,
        Performative,
        Message,
        Frames,
    }

    public long Inputs { get; private set; }

    public long Refused { get; private set; }

    public long Bytes { get; private set; }

    /// <summary>The most that one input had allocated, beside its length.</summary>
    public (long Allocated, int Length) Dearest { get; private set; }

    public void Run(long inputs)
    {
        for (; inputs > 0; inputs--)
        {
            var (reading, original) = _originals[_random.Next(_originals.Length)];
            Feed(reading, _mutator.Spoil(original, _originals[_random.Next(_originals.Length)].Bytes));
        }
    }

    private void Feed(Reading reading, ReadOnlyMemory<byte> input)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            Read(reading, input);
        }
        catch (AmqpDecodeException)
        {
            Refused++;
        }
        catch (Exception unexpected)
        {
            throw new FuzzFailure($"seed {_seed}, input {Inputs}, read as {reading}: {unexpected.GetType().Name} on {Convert.ToHexString(input.Span)}", unexpected);
        }

        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        if (allocated > MostBytes + (MostBytesForEach * input.Length))
            throw new FuzzFailure($"seed {_seed}, input {Inputs}, read as {reading}: {allocated} bytes allocated for {Convert.ToHexString(input.Span)}", null);

        Inputs++;
        Bytes += input.Length;
        if (allocated > Dearest.Allocated)
            Dearest = (allocated, input.Length);
    }

    private void Read(Reading reading, ReadOnlyMemory<byte> input)
    {
        var reader = new AmqpReader(input.Span);
        switch (reading)
        {
            case Reading.Value:
                while (!reader.IsAtEnd)
                    reader.ReadValue();
                break;
            case Reading.Performative:
                AnyPerformative.Decode(ref reader);
                break;
            case Reading.Message:
                AmqpMessage.Decode(input);
                break;
            default:
                ReadFrames(input.Span);
                break;
        }
    }

    private void ReadFrames(ReadOnlySpan<byte> stream)
    {
        using var frames = new FrameReader(AmqpLimits.Default);
        while (!stream.IsEmpty)
        {
            var room = frames.Room().Span;
            var piece = Math.Min(_random.Next(1, 512), Math.Min(room.Length, stream.Length));
            stream[..piece].CopyTo(room);
            frames.Advance(piece);
            stream = stream[piece..];
            while (frames.TryReadFrame(out var frame))
            {
                if (!frame.Body.IsEmpty)
                    ReadBody(frame.Body);
            }
        }
    }

    private static void ReadBody(ReadOnlyMemory<byte> body)
    {
        var reader = new AmqpReader(body.Span);
        if (AnyPerformative.Decode(ref reader) is Transfer)
            AmqpMessage.Decode(body[reader.Position..]);
    }

    // Half of them were written by others, in encodings that are not always ours.
    private (Reading Reading, byte[] Bytes) Original()
    {
        if (_random.Next(2) == 0)
            return (Reading.Frames, CapturedFrames.All[_random.Next(CapturedFrames.All.Count)]);

        using var writer = new AmqpWriter();
        var reading = (Reading)_random.Next(4);
        do
        {
            writer.Reset();
            Write(reading, writer);
        }
        while (writer.Length > Mutator.LongestInput / 2);
        return (reading, writer.ToArray());
    }

    private void Write(Reading reading, AmqpWriter writer)
    {
        var performatives = new RandomPerformatives(_random);
        switch (reading)
        {
            case Reading.Value:
                writer.WriteValue(new RandomValues(_random).Next());
                break;
            case Reading.Performative:
                AnyPerformative.Encode(performatives.Next(), writer);
                break;
            case Reading.Message:
                performatives.Message().Encode(writer);
                break;
            default:
                for (var frames = _random.Next(1, 4); frames > 0; frames--)
                    WriteFrame(performatives, writer);
                break;
        }
    }

    private void WriteFrame(RandomPerformatives performatives, AmqpWriter writer)
    {
        var start = Frame.Begin(writer, FrameType.Amqp, (ushort)_random.Next(3));
        if (_random.Next(2) == 0)
        {
            performatives.Transfer().Encode(writer);
            TypicalMessage.Make(bodySize: _random.Next(64)).Encode(writer);
        }
        else
        {
            AnyPerformative.Encode(performatives.Next(), writer);
        }

        Frame.End(writer, start);
    }
}

/// <summary>An input that was neither read nor refused, or cost too much, and how to make it again.</summary>
internal sealed class FuzzFailure(string what, Exception? inner) : Exception(what, inner);
