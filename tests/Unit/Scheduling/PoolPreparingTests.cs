using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>The pool's least belongs to the whole process, and every engine that starts in it raises it.</summary>
[Collection(nameof(Alone))]
public sealed class PoolPreparingTests
{
    [Fact]
    public void Preparing_raises_the_pool_and_never_lowers_it()
    {
        ThreadPool.GetMinThreads(out var before, out var ports);
        try
        {
            // Those before may have raised it to the most that there is.
            ThreadPool.SetMinThreads(1, ports);
            PoolGuard.Prepare(workerThreads: 1, handlers: 100);
            Assert.Equal(132, MinThreads());
            PoolGuard.Prepare(workerThreads: 1, handlers: 0);
            Assert.Equal(132, MinThreads());
        }
        finally
        {
            ThreadPool.SetMinThreads(before, ports);
        }
    }

    private static int MinThreads()
    {
        ThreadPool.GetMinThreads(out var least, out _);
        return least;
    }
}
