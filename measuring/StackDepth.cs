using System.Runtime.CompilerServices;

namespace Holdfast.Measuring;

/// <summary>How far down its thread's stack code was seen, from where it was seen highest.</summary>
internal sealed class StackDepth : IDisposable
{
    private readonly ThreadLocal<(nint Highest, nint Lowest)> _seen = new(trackAllValues: true);

    public nint Deepest => _seen.Values.Select(seen => seen.Highest - seen.Lowest).DefaultIfEmpty().Max();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Note()
    {
        byte local = 0;
        var here = Unsafe.ByteOffset(ref Unsafe.NullRef<byte>(), ref local);
        var (highest, lowest) = _seen.Value;
        if (highest == 0)
            _seen.Value = (here, here);
        else if (here > highest || here < lowest)
            _seen.Value = (Math.Max(here, highest), Math.Min(here, lowest));
    }

    public void Dispose() => _seen.Dispose();
}
