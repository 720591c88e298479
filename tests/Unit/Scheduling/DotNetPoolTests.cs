using Holdfast.Scheduling;

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
        using var end = new ManualResetEvent(false);
        using var begun = new CountdownEvent(Few + 1);
        for (var i = 0; i <= Few; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(_ =>
            {
                begun.Signal();
                end.WaitOne();
            }, null);
        }

        begun.Wait(TestContext.Current.CancellationToken);
        Assert.False(pool.TryLower());
        Assert.Equal(132, LeastThreads());
        end.Set();
    }

    [Fact]
    public void A_second_engine_that_needs_no_more_leaves_it_alone()
    {
        var first = new DotNetPool(workerThreads: 1, handlers: 100);
        first.TryRaise();
        Assert.False(new DotNetPool(workerThreads: 1, handlers: 50).TryRaise());
        Assert.Equal(132, LeastThreads());
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
