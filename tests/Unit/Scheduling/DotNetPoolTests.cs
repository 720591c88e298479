using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>The pool's size belongs to the whole process, and to every engine that runs in it.</summary>
[Collection(nameof(Alone))]
public sealed class DotNetPoolTests : IDisposable
{
    private const int Few = 4;

    private readonly (int Threads, int Ports) _least;
    private readonly (int Threads, int Ports) _most;

    public DotNetPoolTests()
    {
        ThreadPool.GetMinThreads(out _least.Threads, out _least.Ports);
        ThreadPool.GetMaxThreads(out _most.Threads, out _most.Ports);
        ThreadPool.SetMinThreads(Few, _least.Ports);
    }

    [Fact]
    public void It_is_raised_and_put_back()
    {
        var pool = new DotNetPool(workerThreads: 1, handlers: 100);
        Assert.True(pool.TryRaise());
        Assert.Equal(132, LeastThreads());

        Lower(pool);
        Assert.Equal(Few, LeastThreads());
        Assert.Equal(_most.Threads, MostThreads());
    }

    [Fact]
    public void While_more_threads_are_at_work_than_there_were_it_is_not_put_back()
    {
        var pool = new DotNetPool(workerThreads: 1, handlers: 100);
        pool.TryRaise();
        using var work = new BlockingWork(Few + 1);
        Assert.True(work.HaveAllBegun(Patience.Longest));

        Assert.False(pool.TryLower());
        Assert.Equal(132, LeastThreads());
    }

    [Fact]
    public void At_the_end_of_its_engine_it_is_put_back_whatever_is_at_work()
    {
        var pool = new DotNetPool(workerThreads: 1, handlers: 100);
        pool.TryRaise();
        using var work = new BlockingWork(Few + 1);
        Assert.True(work.HaveAllBegun(Patience.Longest));

        pool.Lower();
        Assert.Equal(Few, LeastThreads());
        Assert.Equal(_most.Threads, MostThreads());
    }

    [Fact]
    public void An_engine_raises_it_and_puts_it_back_at_its_end()
    {
        var lanes = new LaneScheduler(new() { Threads = 1 }, TimeProvider.System);
        using (new Engine(lanes, new LeaseKeeper(lanes, () => 0), new(), new InMemoryBroker(), new(TimeProvider.System, 1, 100), [], NullLogger.Instance))
            Patience.SpinUntil(() => LeastThreads() == 132);

        Assert.Equal(Few, LeastThreads());
    }

    [Fact]
    public void Once_it_is_put_back_it_has_no_more_threads_at_work_than_before()
    {
        const int Many = 64;
        var pool = new DotNetPool(workerThreads: 1, handlers: 100);
        pool.TryRaise();
        using (var work = new BlockingWork(Many))
            Assert.True(work.HaveAllBegun(Patience.Longest));
        Lower(pool);

        // It adds one or two a second.
        using var again = new BlockingWork(Many);
        Assert.False(again.HaveAllBegun(TimeSpan.FromSeconds(1)));
    }

    [Fact]
    public void Of_several_engines_each_gets_what_it_wished_for_as_long_as_it_runs()
    {
        var (small, large) = (new DotNetPool(workerThreads: 1, handlers: 50), new DotNetPool(workerThreads: 1, handlers: 100));
        Assert.True(small.TryRaise());
        Assert.Equal(82, LeastThreads());
        Assert.True(large.TryRaise());
        Assert.Equal(132, LeastThreads());

        large.Lower();
        Assert.Equal(82, LeastThreads());
        small.Lower();
        Assert.Equal(Few, LeastThreads());
    }

    [Fact]
    public void An_engine_that_needs_fewer_leaves_it_as_high_as_another_wishes()
    {
        var (small, large) = (new DotNetPool(workerThreads: 1, handlers: 50), new DotNetPool(workerThreads: 1, handlers: 100));
        large.TryRaise();
        Assert.True(small.TryRaise());
        Assert.Equal(132, LeastThreads());
        Assert.True(small.TryLower());
        Assert.Equal(132, LeastThreads());
        Lower(large);
        Assert.Equal(Few, LeastThreads());
    }

    [Fact]
    public void Where_the_host_has_as_many_anyway_nothing_is_wished()
    {
        ThreadPool.SetMinThreads(150, _least.Ports);
        Assert.False(new DotNetPool(workerThreads: 1, handlers: 100).TryRaise());
        Assert.Equal(150, LeastThreads());
    }

    [Fact]
    public void What_was_wished_before_somebody_lowered_it_is_not_wished_any_more()
    {
        var (first, second) = (new DotNetPool(workerThreads: 1, handlers: 100), new DotNetPool(workerThreads: 1, handlers: 50));
        first.TryRaise();
        ThreadPool.SetMinThreads(10, _least.Ports);

        Assert.True(second.TryRaise());
        Assert.Equal(82, LeastThreads());
        Assert.True(first.TryLower());
        Lower(second);
        Assert.Equal(10, LeastThreads());
    }

    [Fact]
    public void What_was_changed_meanwhile_is_left_as_it_is()
    {
        var pool = new DotNetPool(workerThreads: 1, handlers: 100);
        pool.TryRaise();
        ThreadPool.SetMinThreads(150, _least.Ports);
        Assert.True(pool.TryLower());
        Assert.Equal(150, LeastThreads());
    }

    [Theory]
    [InlineData(1, 0, 32)]
    [InlineData(8, 0, 64)]
    [InlineData(2, 200, 232)]
    [InlineData(128, 0, 1024)]
    [InlineData(1, int.MaxValue, 1024)]
    [InlineData(int.MaxValue, 1, 1024)]
    public void It_has_threads_for_all_that_may_escape_to_it(int workers, int handlers, int threads) =>
        Assert.Equal(threads, DotNetPool.LeastThreads(workers, handlers));

    public void Dispose()
    {
        ThreadPool.SetMinThreads(_least.Threads, _least.Ports);
        ThreadPool.SetMaxThreads(_most.Threads, _most.Ports);
    }

    // Whatever else runs in this process takes threads too, for moments.
    private static void Lower(DotNetPool pool) => Assert.True(SpinWait.SpinUntil(pool.TryLower, TimeSpan.FromSeconds(30)));

    /// <summary>So many pieces of work that block their threads until this is disposed of.</summary>
    private sealed class BlockingWork : IDisposable
    {
        private readonly ManualResetEvent _end = new(false);
        private readonly CountdownEvent _begun;
        private readonly CountdownEvent _ended;

        public BlockingWork(int pieces)
        {
            (_begun, _ended) = (new CountdownEvent(pieces), new CountdownEvent(pieces));
            for (var i = 0; i < pieces; i++)
            {
                ThreadPool.UnsafeQueueUserWorkItem(_ =>
                {
                    _begun.Signal();
                    _end.WaitOne();
                    _ended.Signal();
                }, null);
            }
        }

        public bool HaveAllBegun(TimeSpan patience) => _begun.Wait(patience);

        public void Dispose()
        {
            _end.Set();
            _ended.Wait();
        }
    }

    private static int LeastThreads()
    {
        ThreadPool.GetMinThreads(out var least, out _);
        return least;
    }

    private static int MostThreads()
    {
        ThreadPool.GetMaxThreads(out var most, out _);
        return most;
    }
}
