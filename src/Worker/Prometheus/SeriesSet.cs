namespace Holdfast.Worker.Prometheus;

/// <summary>The label sets that a family has had so far, as places in the text: no series may come twice.</summary>
internal sealed class SeriesSet
{
    private readonly Dictionary<int, int> _newest = [];
    private readonly List<(int Start, int Length, int Older)> _series = [];

    public void Clear()
    {
        _newest.Clear();
        _series.Clear();
    }

    /// <summary>False where the same labels were added before.</summary>
    public bool Add(Utf8Text text, int start, int length)
    {
        var labels = text.Slice(start, length);
        var hash = new HashCode();
        hash.AddBytes(labels);
        var key = hash.ToHashCode();
        var newest = _newest.GetValueOrDefault(key, -1);
        for (var at = newest; at >= 0; at = _series[at].Older)
        {
            if (labels.SequenceEqual(text.Slice(_series[at].Start, _series[at].Length)))
                return false;
        }

        _newest[key] = _series.Count;
        _series.Add((start, length, newest));
        return true;
    }
}
