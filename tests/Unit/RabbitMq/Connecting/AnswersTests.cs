using System.Runtime.CompilerServices;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class AnswersTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    private readonly VirtualTime _time = new();

    [Fact]
    public async Task What_is_not_answered_in_time_is_waited_for_no_longer()
    {
        var asked = new TaskCompletionSource<int>();
        var waiting = asked.Task.WithinAsync(s_patience, _time, CancellationToken.None);

        _time.Advance(s_patience - TimeSpan.FromTicks(1));
        Assert.False(waiting.IsCompleted);
        _time.Advance(TimeSpan.FromTicks(1));

        Assert.Equal(s_patience, (await Assert.ThrowsAsync<UnansweredException>(() => waiting)).Patience);
    }

    [Fact]
    public async Task An_answer_is_handed_on_whatever_it_is()
    {
        var late = new TimeoutException("the server's own");

        Assert.Equal(7, await Task.FromResult(7).WithinAsync(s_patience, _time, CancellationToken.None));
        Assert.Same(late, await Assert.ThrowsAsync<TimeoutException>(() => Task.FromException(late).WithinAsync(s_patience, _time, CancellationToken.None)));
    }

    [Fact]
    public void What_was_given_up_may_fail_and_nobody_is_told()
    {
        var (late, isTold) = (new IOException("late"), false);
        void Told(object? sender, UnobservedTaskExceptionEventArgs unseen) => isTold |= unseen.Exception.InnerExceptions.Contains(late);
        TaskScheduler.UnobservedTaskException += Told;
        try
        {
            GiveUp(late);
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= Told;
        }

        Assert.False(isTold);
    }

    // A frame of its own, so that nothing keeps what it made from being collected.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GiveUp(Exception late)
    {
        var asked = new TaskCompletionSource();
        var waiting = asked.Task.WithinAsync(s_patience, _time, CancellationToken.None);
        _time.Advance(s_patience);
        Assert.IsType<UnansweredException>(waiting.Exception!.InnerException);
        asked.SetException(late);
    }
}
