using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class SignalTests
{
    private readonly Signal _signal = new();

    [Fact]
    public void A_signal_wakes_who_waits_on_the_thread_that_signals()
    {
        var wait = _signal.WaitAsync().AsTask();
        Assert.False(wait.IsCompleted);
        var woken = 0;
        wait.GetAwaiter().UnsafeOnCompleted(() => woken = Environment.CurrentManagedThreadId);

        _signal.Set();

        Assert.Equal(Environment.CurrentManagedThreadId, woken);
    }

    [Fact]
    public void A_signal_that_nobody_waits_for_is_kept_once()
    {
        _signal.Set();
        _signal.Set();

        Assert.True(_signal.WaitAsync().AsTask().IsCompletedSuccessfully);
        Assert.False(_signal.WaitAsync().AsTask().IsCompleted);
    }

    [Fact]
    public async Task It_can_be_waited_for_again_and_again()
    {
        for (var i = 0; i < 3; i++)
        {
            var wait = _signal.WaitAsync().AsTask();
            Assert.False(wait.IsCompleted);
            _signal.Set();
            await wait;
        }
    }

    [Fact]
    public async Task However_signals_and_waits_race_none_is_lost_and_none_wakes_twice()
    {
        const int Rounds = 5000;
        var ping = new Signal();
        var pong = new Signal();
        var answering = AnswerAsync();

        var thread = new Thread(() =>
        {
            for (var i = 0; i < Rounds; i++)
            {
                using var heard = new ManualResetEventSlim();
                ping.Set();
                var wait = pong.WaitAsync().AsTask();
                if (wait.IsCompleted)
                    continue;
                wait.GetAwaiter().UnsafeOnCompleted(heard.Set);
                heard.Wait();
            }
        });
        thread.Start();
        thread.Join();

        Assert.Equal(Rounds, await answering);

        async Task<int> AnswerAsync()
        {
            var heard = 0;
            while (heard < Rounds)
            {
                await ping.WaitAsync();
                heard++;

                // From another thread, so that it races with the wait for it.
                ThreadPool.UnsafeQueueUserWorkItem(static pong => pong.Set(), pong, preferLocal: false);
            }

            return heard;
        }
    }
}
