using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class SendersTests
{
    private static readonly Message s_message = new() { Id = "1" };

    [Fact]
    public async Task A_queue_is_opened_once_and_closed_at_the_end()
    {
        var broker = new Opening();
        await using (var senders = new Senders(broker))
        {
            await senders.SendAsync("a", new Message { Id = "1" });
            await senders.SendAsync("a", new Message { Id = "2" });
            await senders.SendAsync("b", new Message { Id = "3" });
            Assert.Equal((2, 0), (broker.Opened, broker.Closed));
        }

        Assert.Equal((2, 2), (broker.Opened, broker.Closed));
        Assert.Equal(["1", "2", "3"], broker.Sent);
    }

    [Fact]
    public async Task What_could_not_be_opened_is_opened_anew()
    {
        var broker = new Opening { Refusals = 1 };
        await using var senders = new Senders(broker);

        await Assert.ThrowsAsync<BrokerException>(() => senders.SendAsync("a", new Message { Id = "1" }).AsTask());
        await senders.SendAsync("a", new Message { Id = "1" });

        Assert.Equal(["1"], broker.Sent);
    }

    [Fact]
    public async Task What_names_no_queue_or_is_no_message_opens_nothing()
    {
        var broker = new Opening();
        await using var senders = new Senders(broker);

        await Assert.ThrowsAsync<ArgumentNullException>("queue", () => senders.SendAsync(null!, s_message).AsTask());
        await Assert.ThrowsAsync<ArgumentException>("queue", () => senders.SendAsync("", s_message).AsTask());
        await Assert.ThrowsAsync<ArgumentNullException>("message", () => senders.SendAsync("a", null!).AsTask());

        Assert.Equal(0, broker.Opened);
    }

    [Fact]
    public async Task Of_many_queues_it_closes_those_that_it_sent_to_longest_ago()
    {
        var broker = new Opening();
        await using var senders = new Senders(broker);
        foreach (var queue in Queues(Senders.MostKept))
            await senders.SendAsync(queue, s_message);
        await senders.SendAsync("q0", s_message);
        Assert.Equal(0, broker.Closed);

        await senders.SendAsync("a", s_message);
        await senders.SendAsync("b", s_message);
        await senders.SendAsync("q0", s_message);
        Assert.Equal(["q1", "q2"], broker.Closings);
        Assert.Equal(Senders.MostKept + 2, broker.Opened);

        await senders.SendAsync("q1", s_message);
        Assert.Equal((Senders.MostKept + 3, 3), (broker.Opened, broker.Closed));
    }

    [Fact]
    public async Task What_is_being_sent_by_is_not_closed_and_may_be_next_time()
    {
        var broker = new Opening();
        await using var senders = new Senders(broker);
        var answer = new TaskCompletionSource();
        broker.Answer = answer.Task;
        var sends = Queues(Senders.MostKept + 2).Select(queue => senders.SendAsync(queue, s_message).AsTask()).ToArray();
        Assert.Equal((Senders.MostKept + 2, 0), (broker.Opened, broker.Closed));

        answer.SetResult();
        await Task.WhenAll(sends);
        await senders.SendAsync("a", s_message);

        Assert.Equal(["q0", "q1", "q2"], broker.Closings);
    }

    [Fact]
    public async Task What_could_not_be_opened_takes_nobodys_place()
    {
        var broker = new Opening();
        await using var senders = new Senders(broker);
        await senders.SendAsync("a", s_message);

        broker.Refusals = Senders.MostKept + 1;
        foreach (var queue in Queues(Senders.MostKept + 1))
            await Assert.ThrowsAsync<BrokerException>(() => senders.SendAsync(queue, s_message).AsTask());
        await senders.SendAsync("b", s_message);

        Assert.Equal((2, 0), (broker.Opened, broker.Closed));
    }

    [Fact]
    public async Task One_that_fails_to_close_keeps_neither_a_message_nor_the_others()
    {
        var broker = new Opening { CannotClose = "q0" };
        await using (var senders = new Senders(broker))
        {
            foreach (var queue in Queues(Senders.MostKept + 1))
                await senders.SendAsync(queue, s_message);
            await senders.SendAsync("q0", s_message);
        }

        Assert.Equal((Senders.MostKept + 2, Senders.MostKept + 2), (broker.Opened, broker.Closed));
    }

    [Fact]
    public async Task An_opening_that_is_under_way_at_the_end_is_called_off()
    {
        var broker = new Opening { Way = (_, cancel) => Task.Delay(Timeout.Infinite, cancel) };
        var senders = new Senders(broker);
        var send = senders.SendAsync("a", s_message).AsTask();

        await senders.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => send.WaitAsync(TimeSpan.FromSeconds(10)));
    }

    [Fact]
    public async Task It_is_opened_in_nobody_s_context()
    {
        var (whose, seen, go) = (new AsyncLocal<string?>(), "nothing", new TaskCompletionSource());
        await using var senders = new Senders(new Opening
        {
            Way = async (_, _) =>
            {
                await go.Task;
                seen = whose.Value;
            },
        });

        whose.Value = "the first one's";
        var send = senders.SendAsync("a", s_message).AsTask();
        ThreadPool.UnsafeQueueUserWorkItem(static go => go.SetResult(), go, preferLocal: false);
        await send;

        Assert.Null(seen);
    }

    [Fact]
    public async Task An_opening_that_cannot_be_called_off_is_closed_once_it_is_there()
    {
        var answer = new TaskCompletionSource();
        var broker = new Opening { Way = (_, _) => answer.Task };
        var senders = new Senders(broker);
        using var impatience = new CancellationTokenSource();
        var send = senders.SendAsync("a", s_message, cancel: impatience.Token).AsTask();
        await impatience.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => send);

        var end = senders.DisposeAsync().AsTask();
        Assert.False(end.IsCompleted);
        answer.SetResult();
        await end;

        Assert.Equal(["a"], broker.Closings);
    }

    [Fact]
    public async Task An_opening_does_not_wait_for_the_thread_of_whoever_asked_first()
    {
        var answer = new TaskCompletionSource();
        var broker = new Opening { Way = (_, _) => answer.Task };
        using var meter = new HoldfastMeter();
        var senders = new Senders(new ObservedBroker(broker, meter, RootSampling.All, TimeProvider.System));
        using (new HeldUp())
            _ = senders.SendAsync("a", s_message).AsTask();
        var second = senders.SendAsync("a", s_message).AsTask();

        answer.SetResult();
        await second.WaitAsync(TimeSpan.FromSeconds(10));

        Assert.Equal(["1"], broker.Sent);
    }

    [Fact]
    public async Task A_broker_that_blocks_as_it_opens_one_queue_holds_up_no_other()
    {
        var hasSent = false;
        Senders senders = null!;
        var broker = new Opening
        {
            Way = (queue, cancel) =>
            {
                if (queue == "a")
                    hasSent = Task.Run(() => senders.SendAsync("b", s_message, cancel: cancel).AsTask(), cancel).Wait(TimeSpan.FromSeconds(10), cancel);
                return Task.CompletedTask;
            },
        };
        await using var disposed = senders = new Senders(broker);

        await senders.SendAsync("a", s_message);

        Assert.True(hasSent);
    }

    [Fact]
    public async Task Several_messages_leave_in_their_order_though_their_queue_is_still_being_opened()
    {
        var opening = new TaskCompletionSource();
        using var calledOff = new CancellationTokenSource();
        var broker = new Opening { Way = (_, _) => opening.Task };
        await using var senders = new Senders(broker);
        var ids = Enumerable.Range(0, 1_000).Select(n => $"{n}").ToArray();

        // Not in the test's own context, which would put them in order again.
        var send = await Task.Run(() => Task.FromResult(senders.SendAllAsync([.. ids.Select(id => new Publication("a", new Message { Id = id }, TimeSpan.Zero))], calledOff.Token)));
        Assert.Empty(broker.Sent);
        opening.SetResult();
        await send.WaitAsync(TimeSpan.FromSeconds(10));

        Assert.Equal(ids, broker.Sent);
    }

    [Fact]
    public async Task Of_several_messages_those_leave_whose_queue_can_be_opened()
    {
        var broker = new Opening { Way = (queue, _) => queue == "b" ? throw new BrokerException("There is no such queue.", isTransient: false) : Task.CompletedTask };
        await using var senders = new Senders(broker);

        var refusal = await Assert.ThrowsAsync<BrokerException>(() => senders.SendAllAsync([To("a", "1"), To("b", "2"), To("a", "3")], default));

        Assert.Equal("There is no such queue.", refusal.Message);
        Assert.Equal(["1", "3"], broker.Sent);

        static Publication To(string queue, string id) => new(queue, new Message { Id = id }, TimeSpan.Zero);
    }

    [Fact]
    public async Task Once_disposed_it_opens_nothing_more()
    {
        var broker = new Opening();
        var senders = new Senders(broker);
        await senders.SendAsync("a", s_message);
        await senders.DisposeAsync();
        await senders.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => senders.SendAsync("a", s_message).AsTask());
        Assert.Equal((1, 1), (broker.Opened, broker.Closed));
    }

    private static IEnumerable<string> Queues(int count) => Enumerable.Range(0, count).Select(n => $"q{n}");

    /// <summary>The context of a thread that runs nothing of what is posted to it.</summary>
    private sealed class HeldUp : SynchronizationContext, IDisposable
    {
        private readonly SynchronizationContext? _before = Current;

        public HeldUp() => SetSynchronizationContext(this);

        public override void Post(SendOrPostCallback d, object? state)
        {
        }

        public void Dispose() => SetSynchronizationContext(_before);
    }

    private sealed class Opening : IBroker
    {
        public int Opened { get; private set; }

        public int Closed => Closings.Count;

        public int Refusals { get; set; }

        public string? CannotClose { get; init; }

        public List<string> Sent { get; } = [];

        public List<string> Closings { get; } = [];

        /// <summary>What opening waits for.</summary>
        public Func<string, CancellationToken, Task> Way { get; init; } = (_, _) => Task.CompletedTask;

        /// <summary>What sending waits for.</summary>
        public Task Answer { get; set; } = Task.CompletedTask;

        public string System => "test";

        public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) => throw new NotSupportedException();

        public async ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel)
        {
            if (Refusals-- > 0)
                throw new BrokerException("refused", isTransient: true);
            await Way(queue, cancel).ConfigureAwait(ConfigureAwaitOptions.None);
            Opened++;
            return new Sender(this, queue);
        }

        public ValueTask DisposeAsync() => default;

        private sealed class Sender(Opening broker, string queue) : ISender
        {
            public async ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
            {
                await broker.Answer;
                broker.Sent.Add(message.Id);
            }

            public ValueTask DisposeAsync()
            {
                broker.Closings.Add(queue);
                return queue == broker.CannotClose ? throw new BrokerException("gone", isTransient: true) : default;
            }
        }
    }
}
