namespace Holdfast.Consumer;

/// <summary>How many messages were handled of late, and how many of them failed: by slices of a window that moves on. One caller at a time.</summary>
internal sealed class RecentOutcomes(TimeSpan window)
{
    private const int Slices = 10;

    private readonly (long Number, int Handled, int Failed)[] _slices = new (long, int, int)[Slices];

    public void Add(TimeSpan now, bool hasFailed)
    {
        var number = NumberAt(now);
        ref var slice = ref _slices[number % Slices];
        if (slice.Number != number)
            slice = (number, 0, 0);
        slice.Handled++;
        slice.Failed += hasFailed ? 1 : 0;
    }

    public (int Handled, int Failed) Sum(TimeSpan now)
    {
        var oldest = NumberAt(now) - Slices + 1;
        var (handled, failed) = (0, 0);
        foreach (var slice in _slices)
        {
            if (slice.Number >= oldest)
                (handled, failed) = (handled + slice.Handled, failed + slice.Failed);
        }

        return (handled, failed);
    }

    public void Clear() => Array.Clear(_slices);

    private long NumberAt(TimeSpan now) => now.Ticks / (window.Ticks / Slices);
}
