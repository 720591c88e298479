namespace Holdfast.Worker.Status;

/// <summary>One event of the feed, written once for all viewers: as the change from the frame before for those who have that, whole for those who have not.</summary>
internal sealed class Frame(long number, byte[] change, Func<byte[]> whole)
{
    private readonly Lazy<byte[]> _whole = new(whole);

    /// <summary>Which frame it is. Any thread may ask for its bytes.</summary>
    public long Number => number;

    public byte[] Change => change;

    public byte[] Whole => _whole.Value;
}
