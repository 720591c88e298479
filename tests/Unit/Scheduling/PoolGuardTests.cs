using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class PoolGuardTests
{
    private readonly VirtualTime _time = new();
    private readonly Queue<IThreadPoolWorkItem> _pool = new(4);
    private readonly PoolGuard _guard;

    public PoolGuardTests() => _guard = new PoolGuard(_time, _pool.Enqueue);

    [Fact]
    public void Before_the_first_probe_there_is_no_delay()
    {
        Wait(5);
        Assert.Equal(0, Delay);
    }

    [Fact]
    public void A_pool_that_the_system_gives_no_thread_is_late_until_it_has_one()
    {
        var guard = new PoolGuard(_time, item =>
        {
            _pool.Enqueue(item);
            throw new InsufficientMemoryException();
        });

        guard.Probe();
        Wait(3);
        Assert.Equal(3, guard.Delay.TotalSeconds);

        Answer();
        Wait(3);
        guard.Probe();
        Assert.Equal(3, guard.Delay.TotalSeconds);
    }

    [Fact]
    public void The_delay_is_how_late_the_pool_answered()
    {
        _guard.Probe();
        Wait(3);
        Answer();
        Wait(10);
        Assert.Equal(3, Delay);
    }

    [Fact]
    public void A_prompt_answer_ends_an_earlier_delay()
    {
        _guard.Probe();
        Wait(3);
        Answer();
        _guard.Probe();
        Answer();
        Assert.Equal(0, Delay);
    }

    [Fact]
    public void While_the_pool_is_silent_the_delay_grows()
    {
        _guard.Probe();
        Wait(2);
        Assert.Equal(2, Delay);
        Wait(2);
        Assert.Equal(4, Delay);
    }

    [Fact]
    public void A_late_answer_counts_until_the_next_one_has_come_or_is_later_still()
    {
        _guard.Probe();
        Wait(3);
        Answer();
        _guard.Probe();
        Wait(2);
        Assert.Equal(3, Delay);
        Wait(2);
        Assert.Equal(4, Delay);
    }

    [Fact]
    public void Only_one_probe_is_under_way_and_its_age_counts_from_its_start()
    {
        _guard.Probe();
        Wait(2);
        _guard.Probe();
        Assert.Single(_pool);
        Assert.Equal(2, Delay);
    }

    [Fact]
    public void Probing_allocates_nothing()
    {
        _guard.Probe();
        Answer();

        Assert.Equal(0, Allocated.By(() =>
        {
            _guard.Probe();
            Answer();
        }));
    }

    [Theory]
    [InlineData(1, 0, 32)]
    [InlineData(8, 0, 64)]
    [InlineData(2, 200, 232)]
    [InlineData(128, 0, 1024)]
    [InlineData(1, int.MaxValue, 1024)]
    [InlineData(int.MaxValue, 1, 1024)]
    public void The_pool_starts_with_threads_for_all_that_may_escape_to_it(int workers, int handlers, int threads) =>
        Assert.Equal(threads, PoolGuard.MinThreads(workers, handlers));

    private double Delay => _guard.Delay.TotalSeconds;

    private void Wait(int seconds) => _time.Advance(TimeSpan.FromSeconds(seconds));

    private void Answer() => _pool.Dequeue().Execute();
}
