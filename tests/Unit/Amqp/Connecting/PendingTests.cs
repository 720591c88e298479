using System.Collections.Concurrent;
using System.Threading.Tasks.Sources;
using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Connecting;

public sealed class PendingTests
{
    private readonly Gate _gate = new();

    [Fact]
    public async Task Who_waits_goes_on_where_it_is_released_and_outside_the_gate()
    {
        var pending = new Pending<int>(_gate);
        var going = GoOnAsync(pending);
        int? where = null;
        var thread = new Thread(() =>
        {
            where = Environment.CurrentManagedThreadId;
            using (_gate.Enter())
                pending.Set(7);
        });
        thread.Start();
        thread.Join();
        Assert.True(going.IsCompleted);
        Assert.Equal((7, where), await going);
    }

    [Fact]
    public void Who_comes_too_late_goes_on_where_it_is()
    {
        var pending = new Pending<int>(_gate);
        Assert.Equal(ValueTaskSourceStatus.Pending, pending.GetStatus(0));
        using (_gate.Enter())
            pending.Set(7);

        // An await looks first, and hands over what is next only then.
        int? where = null;
        pending.OnCompleted(_ => where = Environment.CurrentManagedThreadId, null, 0, ValueTaskSourceOnCompletedFlags.None);
        Assert.Equal(Environment.CurrentManagedThreadId, where);
        Assert.Equal(ValueTaskSourceStatus.Succeeded, pending.GetStatus(0));
    }

    [Fact]
    public async Task Who_waits_on_a_scheduler_goes_on_there()
    {
        using var scheduler = new OneThread();
        var pending = new Pending<int>(_gate);
        var waiting = new TaskCompletionSource();
        var going = Task.Factory.StartNew(
            async () =>
            {
                waiting.SetResult();
                await pending.WaitAsync(default);
                return TaskScheduler.Current;
            },
            default, TaskCreationOptions.None, scheduler).Unwrap();
        await waiting.Task;
        using (_gate.Enter())
            pending.Set(7);
        Assert.Same(scheduler, await going);
    }

    [Fact]
    public async Task What_was_called_off_stays_called_off()
    {
        var pending = new Pending<int>(_gate);
        using var cancel = new CancellationTokenSource();
        var task = pending.WaitAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        using (_gate.Enter())
            pending.Set(7);
        Assert.Equal(cancel.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task)).CancellationToken);
    }

    [Fact]
    public async Task One_failure_is_thrown_anew_to_each_who_waits()
    {
        var failure = new AmqpException(AmqpLevel.Link, ErrorConditions.NotFound, "gone");
        var (first, second) = (new Pending<int>(_gate), new Pending<int>(_gate));
        using (_gate.Enter())
        {
            first.Fail(failure);
            second.Fail(failure);
        }

        var thrown = await Assert.ThrowsAsync<AmqpException>(async () => await first.WaitAsync(default));
        Assert.NotSame(failure, thrown);
        Assert.Equal((failure.Message, failure.Condition), (thrown.Message, thrown.Condition));
        await Assert.ThrowsAsync<AmqpException>(async () => await second.WaitAsync(default));
    }

    [Fact]
    public void What_is_told_in_one_turn_is_told_in_order_and_who_throws_holds_up_nobody()
    {
        var told = new List<string>();
        _gate.OnFault = fault => told.Add(fault.Message);
        using (_gate.Enter())
        {
            _gate.Add(new Told(_ => told.Add("first"), new AmqpException(AmqpLevel.Link, null, null)));
            _gate.Add(new Told(_ => throw new InvalidOperationException("second"), new AmqpException(AmqpLevel.Link, null, null)));
            _gate.Add(new Told(_ => told.Add("third"), new AmqpException(AmqpLevel.Link, null, null)));
            Assert.Empty(told);
        }

        Assert.Equal(["first", "second", "third"], told);
    }

    private static async Task<(int Result, int? Where)> GoOnAsync(Pending<int> pending)
    {
        var result = await pending.WaitAsync(default).ConfigureAwait(false);
        return (result, Environment.CurrentManagedThreadId);
    }

    private sealed class OneThread : TaskScheduler, IDisposable
    {
        private readonly BlockingCollection<Task> _tasks = [];
        private readonly Thread _thread;

        public OneThread()
        {
            _thread = new Thread(() =>
            {
                foreach (var task in _tasks.GetConsumingEnumerable())
                    TryExecuteTask(task);
            });
            _thread.Start();
        }

        public void Dispose()
        {
            _tasks.CompleteAdding();
            _thread.Join();
            _tasks.Dispose();
        }

        protected override void QueueTask(Task task) => _tasks.Add(task);

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

        protected override IEnumerable<Task> GetScheduledTasks() => _tasks;
    }
}
