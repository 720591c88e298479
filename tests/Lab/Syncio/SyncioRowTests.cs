using Holdfast.Lab.Syncio;

namespace Holdfast.Tests.Lab.Syncio;

public sealed class SyncioRowTests
{
    [Fact]
    public void Handlers_that_end_in_waves_are_counted_up_to_the_last_wave()
    {
        var row = Row(ended: 12_000, lastEnd: 6);

        Assert.Equal(2_000, row.Throughput);
        Assert.Equal(2, row.Response);
    }

    [Fact]
    public void Clients_that_still_wait_lengthen_the_response()
    {
        var row = Row(ended: 1_200, lastEnd: 6);

        Assert.Equal(200, row.Throughput);
        Assert.Equal(20, row.Response);
    }

    [Fact]
    public void Where_none_ended_the_response_never_comes()
    {
        var row = Row(ended: 0, lastEnd: 0);

        Assert.Equal(0, row.Throughput);
        Assert.Equal(double.PositiveInfinity, row.Response);
    }

    private static SyncioRow Row(int ended, double lastEnd) =>
        new(new(Runner.Pool, IsBlocking: true, AtOnce: 4_000, WaitSeconds: 2, WindowSeconds: 6.5), new(ended, lastEnd, Threads: 10, Leases: null));
}
