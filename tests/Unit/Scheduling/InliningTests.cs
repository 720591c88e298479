using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class InliningTests
{
    private readonly LaneScheduler _lanes = LaneScheduler.ByHand(new VirtualTime());
    private readonly Strand _strand;
    private int _nested;
    private int _deepest;

    public InliningTests() => _strand = _lanes.NewStrand(0, "a");

    [Fact]
    public void A_continuation_that_is_next_anyway_runs_in_place()
    {
        Assert.Equal(["before", "continuation", "after"], Complete());
        Assert.Equal(1, _lanes.Turns);
    }

    [Fact]
    public void A_continuation_is_queued_where_something_better_waits()
    {
        Assert.Equal(["before", "after", "better", "continuation"], Complete(ran => _lanes.NewStrand(1, "better").Run(() => ran.Add("better"))));
    }

    [Fact]
    public void A_continuation_is_queued_where_the_strand_has_other_work_before_it() =>
        Assert.Equal(["before", "after", "earlier", "continuation"], Complete(ran => _strand.Run(() => ran.Add("earlier"))));

    [Fact]
    public void So_it_is_where_the_strand_was_given_that_before_its_turn()
    {
        var (ran, gate) = (new List<string>(), new TaskCompletionSource());
        _strand.Run(async () =>
        {
            await gate.Task;
            ran.Add("continuation");
        });
        _strand.Run(() =>
        {
            gate.SetResult();
            ran.Add("after");
        });
        _strand.Run(() => ran.Add("earlier"));

        _lanes.RunUntilIdle();

        Assert.Equal(["after", "earlier", "continuation"], ran);
    }

    [Fact]
    public void What_is_queued_instead_has_its_strands_place_before_those_that_began_later()
    {
        var (ran, gate, later) = (new List<string>(), new TaskCompletionSource(), _lanes.NewStrand(0, "later"));
        _strand.Run(async () =>
        {
            await gate.Task;
            ran.Add("continuation");
        });
        later.Run(static () => { });
        _lanes.RunUntilIdle();

        _strand.Run(() =>
        {
            later.Run(() => ran.Add("later"));
            _lanes.Post(Lane.Lease, () => ran.Add("lease"));
            gate.SetResult();
        });
        _lanes.RunUntilIdle();

        Assert.Equal(["lease", "continuation", "later"], ran);
    }

    [Fact]
    public void A_strand_that_begins_in_place_goes_before_those_that_have_not_begun()
    {
        var ran = new List<string>();
        var (older, younger) = (_lanes.NewStrand(1, "older"), _lanes.NewStrand(1, "younger"));
        _strand.Run(() =>
        {
            new Task(static () => { }).RunSynchronously(younger);
            older.Run(() => ran.Add("older"));
            younger.Run(() => ran.Add("younger"));
        });

        _lanes.RunUntilIdle();

        Assert.Equal(["younger", "older"], ran);
    }

    [Theory]
    [InlineData(TaskCreationOptions.None)]
    [InlineData(TaskCreationOptions.RunContinuationsAsynchronously)]
    public void A_long_chain_does_not_grow_the_stack(TaskCreationOptions options)
    {
        var gates = Enumerable.Range(0, 100_000).Select(_ => new TaskCompletionSource(options)).ToArray();
        var chain = _strand.Run(() => Task.WhenAll(Enumerable.Range(1, gates.Length - 1).Select(i => Link(gates[i - 1], gates[i]))));
        _lanes.RunUntilIdle();

        _strand.Run(gates[0].SetResult);
        _lanes.RunUntilIdle();

        Assert.True(chain.IsCompletedSuccessfully);
        Assert.InRange(_deepest, 1, 20);
    }

    [Fact]
    public void A_long_chain_of_ContinueWith_does_not_grow_the_stack()
    {
        var first = new TaskCompletionSource();
        Task last = first.Task;
        for (var i = 0; i < 100_000; i++)
            last = last.ContinueWith(_ => Nest(() => { }), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, _strand);

        _strand.Run(first.SetResult);
        _lanes.RunUntilIdle();

        Assert.True(last.IsCompletedSuccessfully);
    }

    private List<string> Complete(Action<List<string>>? before = null)
    {
        var ran = new List<string>();
        _strand.Run(() =>
        {
            var gate = new TaskCompletionSource();
            _ = Wait(gate.Task);
            before?.Invoke(ran);
            ran.Add("before");
            gate.SetResult();
            ran.Add("after");
        });

        _lanes.RunUntilIdle();
        return ran;

        async Task Wait(Task gate)
        {
            await gate;
            ran.Add("continuation");
        }
    }

    private async Task Link(TaskCompletionSource before, TaskCompletionSource after)
    {
        await before.Task;
        Nest(after.SetResult);
    }

    private void Nest(Action action)
    {
        _deepest = Math.Max(_deepest, ++_nested);
        action();
        _nested--;
    }
}
