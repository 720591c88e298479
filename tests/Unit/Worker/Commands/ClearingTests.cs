using Holdfast.Virtual;
using Holdfast.Worker.Commands;

namespace Holdfast.Tests.Unit.Worker.Commands;

public sealed class ClearingTests
{
    private readonly VirtualTime _time = new();

    [Fact]
    public async Task Without_a_rate_the_sweep_alone_says_when_it_commits()
    {
        await using var desk = NewDesk();

        await new Clearing(desk, new(), int.MaxValue, rate: null, _time).RunAsync(new Progress<long>(), default);

        Assert.Equal([100], desk.Commits);
    }

    [Fact]
    public async Task With_a_rate_what_is_taken_leaves_ten_times_a_second()
    {
        await using var desk = NewDesk();

        var running = new Clearing(desk, new(), int.MaxValue, rate: 50, _time).RunAsync(new Progress<long>(), default);
        Assert.Equal([], desk.Commits);

        for (var tenth = 1; tenth <= 10; tenth++)
        {
            _time.Advance(TimeSpan.FromMilliseconds(100));
            Assert.Equal(tenth, desk.Commits.Count);
        }

        _time.Advance(TimeSpan.FromSeconds(1));
        await running;
        Assert.All(desk.Commits, count => Assert.Equal(5, count));
        Assert.Equal(100, desk.Committed);
    }

    [Fact]
    public async Task A_pause_is_caught_up_on_by_a_second_and_no_more()
    {
        var (taken, pace) = (0, new Pace(10, _time));
        _time.Advance(TimeSpan.FromMinutes(1));
        await TakeAsync();
        Assert.Equal(1, taken);

        _time.Advance(TimeSpan.FromMinutes(1));
        await TakeAsync();
        Assert.InRange(taken, 2, 12);

        async Task TakeAsync()
        {
            using var soon = new CancellationTokenSource();
            while (pace.NextAsync(soon.Token).AsTask().IsCompletedSuccessfully)
                taken++;
            await soon.CancelAsync();
        }
    }

    private static FakeDesk NewDesk() => new() { Letters = [.. Enumerable.Range(0, 100).Select(n => Calling.Letter($"{n}"))] };
}
