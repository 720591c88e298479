using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class MemoryNeedTests
{
    private const long Megabyte = 1024 * 1024;

    [Theory]
    [InlineData(615, 256)]
    [InlineData(384, 128)]
    [InlineData(612, 128, 128)]
    public void What_the_docs_and_the_manifests_give_is_enough(long heap, params int[] inFlight) => Assert.Null(Warning(heap, inFlight));

    [Fact]
    public void Messages_that_do_not_fit_are_warned_of_with_both_cures() =>
        Assert.Equal(
            "The heap may take 384 MB here, and 612 are wanted: 100 for the process, and twice the 256 of Worker__MaxBytesInFlight. "
            + "Give the worker 816 MB of memory, or set Worker__MaxBytesInFlight to 148897792 or less.",
            Warning(384, 256));

    [Fact]
    public void Each_queue_has_bytes_in_flight_of_its_own() =>
        Assert.Equal(
            "The heap may take 384 MB here, and 612 are wanted: 100 for the process, and twice the 256 of Worker__MaxBytesInFlight, of all queues together. "
            + "Give the worker 816 MB of memory, or set Worker__MaxBytesInFlight to 74448896 or less.",
            Warning(384, 128, 128));

    [Fact]
    public void Where_hardly_the_process_fits_fewer_messages_are_no_cure() =>
        Assert.EndsWith("Give the worker 136 MB of memory.", Warning(48, 1), StringComparison.Ordinal);

    [Theory]
    [InlineData(615, 1, 256)]
    [InlineData(384, 1, 142)]
    [InlineData(384, 2, 71)]
    [InlineData(96, 1, 1)]
    [InlineData(1 << 20, 10, 256)]
    public void Where_nobody_says_how_many_bytes_may_be_in_flight_as_many_are_as_there_is_room_for(long heap, int queues, long each)
    {
        Assert.Equal(each * Megabyte, MemoryNeed.InFlight(heap * Megabyte, queues));
        Assert.Equal(heap < 100, MemoryNeed.Warning(heap * Megabyte, [.. Enumerable.Repeat(each * Megabyte, queues)]) is not null);
    }

    private static string? Warning(long heap, params int[] inFlight) => MemoryNeed.Warning(heap * Megabyte, [.. inFlight.Select(each => each * Megabyte)])?.Text;
}
