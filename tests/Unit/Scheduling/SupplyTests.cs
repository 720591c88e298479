using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>What is run while threads are scarce, by hand.</summary>
public sealed class SupplyTests : IDisposable
{
    private readonly LaneScheduler _lanes = LaneScheduler.ByHand(new VirtualTime());
    private readonly List<string> _ran = [];

    public void Dispose() => _lanes.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void While_threads_are_scarce_what_has_begun_goes_on_and_nothing_else(bool isAged)
    {
        var (older, younger) = (Begun("older"), Begun("younger"));
        Post(younger, "younger goes on");
        Post(older, "older goes on");
        Post(_lanes.NewStrand(9, "new"), "new");
        for (var period = 0; isAged && period < 3; period++)
            _lanes.Queues.Age();

        _lanes.Queues.Supply = ThreadSupply.Scarce;
        Assert.False(_lanes.Queues.IsEmpty);
        _lanes.RunUntilIdle();

        Assert.Equal(["older goes on", "younger goes on"], _ran);
        Assert.True(_lanes.Queues.IsEmpty);

        Post(older, "older goes on again");
        _lanes.RunUntilIdle();
        _lanes.Queues.Supply = ThreadSupply.Ample;
        _lanes.RunUntilIdle();
        Assert.Equal(["older goes on again", "new"], _ran[2..]);
    }

    [Fact]
    public async Task On_the_last_threads_only_what_a_turn_may_wait_for_in_place_is_run()
    {
        var (other, waits) = (Begun("other"), _lanes.NewStrand(0, "waits"));
        var waiting = waits.Run(() =>
        {
            Post(other, "other goes on");
            Post(waits, "its own");
            _lanes.Queues.Supply = ThreadSupply.Last;
            Assert.False(_lanes.Queues.IsEmpty);
            _lanes.RunUntilIdle();
            Assert.True(_lanes.Queues.IsEmpty);
        });
        _lanes.RunUntilIdle();

        await waiting;
        Assert.Equal(["its own"], _ran);
    }

    [Fact]
    public void On_the_last_threads_nobody_keeps_for_himself_what_others_may_wait_for()
    {
        var strand = _lanes.NewStrand(0, "a");
        strand.Run(() =>
        {
            Post(strand, "goes on");
            _lanes.Queues.Supply = ThreadSupply.Last;
        });

        _lanes.RunUntilIdle();

        Assert.Empty(_ran);
        Assert.True(_lanes.Queues.HasShared);
    }

    [Fact]
    public async Task Where_no_thread_is_left_to_spare_the_Lease_lane_is_served_alone()
    {
        Post(Begun("other"), "other goes on");
        _lanes.Queues.Supply = ThreadSupply.Spent;
        var settling = SettleAsync();
        _lanes.RunUntilIdle();

        await settling;
        Assert.Empty(_ran);
        Assert.True(_lanes.Queues.IsEmpty);

        async Task SettleAsync() => await _lanes.Turn(Lane.Lease);
    }

    private Strand Begun(string name)
    {
        var strand = _lanes.NewStrand(0, name);
        strand.Run(() => { });
        _lanes.RunUntilIdle();
        return strand;
    }

    private void Post(Strand strand, string what) => strand.Run(() => _ran.Add(what));
}
