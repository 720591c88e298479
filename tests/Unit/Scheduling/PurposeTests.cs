using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>What is left of a strand that has served its purpose goes before all others.</summary>
public sealed class PurposeTests
{
    private readonly LaneScheduler _lanes = LaneScheduler.ByHand(new VirtualTime());
    private readonly List<string> _ran = [];
    private readonly TaskCompletionSource _end = new();
    private readonly Strand _urgent;
    private readonly Strand _strand;

    public PurposeTests()
    {
        (_urgent, _strand) = (_lanes.NewStrand(9, "urgent"), _lanes.NewStrand(0, "a"));
        _strand.Purpose = _end.Task;
    }

    [Fact]
    public void It_does_not_while_it_has_its_purpose_before_it()
    {
        Post(_strand, "a");
        Post(_urgent, "urgent");

        Assert.Equal(["urgent", "a"], Run());
    }

    [Fact]
    public void It_does_once_that_has_ended()
    {
        _end.SetResult();
        Post(_urgent, "urgent");
        Post(_strand, "a");

        Assert.Equal(["a", "urgent"], Run());
    }

    [Fact]
    public void So_it_does_where_that_has_failed()
    {
        _end.SetException(new TimeoutException());
        Post(_urgent, "urgent");
        Post(_strand, "a");

        Assert.Equal(["a", "urgent"], Run());
        Assert.NotNull(_end.Task.Exception);
    }

    [Fact]
    public void But_not_before_the_lease_lane()
    {
        _end.SetResult();
        Post(_strand, "a");
        _lanes.Turn(Lane.Lease).OnCompleted(() => _ran.Add("lease"));

        Assert.Equal(["lease", "a"], Run());
    }

    [Fact]
    public void It_goes_on_in_place_of_whoever_ends_it_whatever_else_waits()
    {
        _strand.Run(() =>
        {
            _ = ReportAsync();
            Post(_urgent, "urgent");
            _end.SetResult();
            _ran.Add("the rest of the turn");
        });

        Assert.Equal(["report", "the rest of the turn", "urgent"], Run());
        Assert.Equal(2, _lanes.Turns);
    }

    [Fact]
    public void It_does_not_any_more_once_it_has_no_purpose()
    {
        _end.SetResult();
        _strand.Purpose = null;
        Post(_strand, "a");
        Post(_urgent, "urgent");

        Assert.Equal(["urgent", "a"], Run());
    }

    private void Post(Strand strand, string name) => strand.Run(() => _ran.Add(name));

    private List<string> Run()
    {
        _lanes.RunUntilIdle();
        return _ran;
    }

    private async Task ReportAsync()
    {
        await _end.Task;
        _ran.Add("report");
    }
}
