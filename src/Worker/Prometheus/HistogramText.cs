namespace Holdfast.Worker.Prometheus;

/// <summary>Writes one histogram, after its first bucket's name and labels: buckets that count everything up to their bound, then sum and count.</summary>
internal readonly ref struct HistogramText(Utf8Text text, byte[][] names, (int Start, int Length) labels, bool isOpen)
{
    /// <summary>Writes a bucket, to which an example may be added.</summary>
    public void WriteBucket(double bound, long upToIt)
    {
        WriteBound(bound);
        text.Write(upToIt);
    }

    public void BeginNextBucket() => Begin(names[0]);

    public void WriteSumAndCount(double sum, long count)
    {
        Begin(names[1]);
        text.Write("} "u8);
        text.Write(sum);
        Begin(names[2]);
        text.Write("} "u8);
        text.Write(count);
        text.Write((byte)'\n');
    }

    private void Begin(byte[] name)
    {
        text.Write((byte)'\n');
        text.Write(name);
        text.Write((byte)'{');
        text.Repeat(labels.Start, labels.Length);
    }

    // OpenMetrics wants a bound to look like a float, even where it is whole.
    private void WriteBound(double bound)
    {
        text.Write(",le=\""u8);
        var start = text.Length;
        text.Write(bound);
        if (isOpen && double.IsFinite(bound) && text.Slice(start, text.Length - start).IndexOfAny((byte)'.', (byte)'E') < 0)
            text.Write(".0"u8);
        text.Write("\"} "u8);
    }
}
