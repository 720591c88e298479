using Holdfast.Broker;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class WaitTests
{
    private readonly Desk _desk = new();

    [Fact]
    public async Task Whoever_waited_goes_on_at_once_on_the_thread_that_sent()
    {
        var thread = WaitAndTellThreadAsync();

        _desk.Send("a");

        Assert.True(thread.IsCompleted);
        Assert.Equal(Environment.CurrentManagedThreadId, await thread);

        async Task<int> WaitAndTellThreadAsync()
        {
            await _desk.WaitAsync();
            return Environment.CurrentManagedThreadId;
        }
    }

    [Fact]
    public void Whoever_waited_goes_on_outside_the_lock()
    {
        var others = Task.CompletedTask;
        _ = WaitThenLetAnotherThreadSendAsync();

        _desk.Send("a");

        Assert.True(others.IsCompletedSuccessfully);

        async Task WaitThenLetAnotherThreadSendAsync()
        {
            await _desk.WaitAsync();
            others = Task.Run(() => _desk.Send("b"));
            others.Wait(TimeSpan.FromSeconds(30));
        }
    }

    [Fact]
    public void A_message_that_is_passed_on_from_queue_to_queue_does_not_grow_the_stack()
    {
        const int Queues = 20_000;
        var passing = Enumerable.Range(0, Queues).Select(PassOnAsync).ToArray();

        Desk.Now(Desk.Now(_desk.Broker.OpenSenderAsync("q0", default)).SendAsync(new Message { Id = "a" }, TimeSpan.Zero, default));

        Assert.All(passing, task => Assert.True(task.IsCompletedSuccessfully));
        Assert.Equal(1, _desk.Broker.Counts("q" + Queues).Waiting);

        async Task PassOnAsync(int number)
        {
            var next = Desk.Now(_desk.Broker.OpenSenderAsync($"q{number + 1}", default));
            var delivery = await _desk.WaitAsync(_desk.Open($"q{number}"));
            await next.SendAsync(delivery.Message, TimeSpan.Zero, default);
        }
    }

    [Fact]
    public void Those_who_waited_go_on_in_order_one_after_the_other()
    {
        var log = new List<string>();
        _ = PassOnAsync();
        _ = LogAsync(_desk.Open("second"), "second");

        _desk.Send("a");

        Assert.Equal(["first sends", "first has sent", "second"], log);

        async Task PassOnAsync()
        {
            await _desk.WaitAsync();
            log.Add("first sends");
            await Desk.Now(_desk.Broker.OpenSenderAsync("second", default)).SendAsync(new Message { Id = "b" }, TimeSpan.Zero, default);
            log.Add("first has sent");
        }

        async Task LogAsync(IReceiver receiver, string name)
        {
            await _desk.WaitAsync(receiver);
            log.Add(name);
        }
    }

    [Fact]
    public async Task A_message_costs_little_memory_even_if_it_is_waited_for()
    {
        const int Count = 1000;
        var room = new Delivery[1];
        var message = new Message { Id = "a" };
        await MoveAsync(Count);

        var before = GC.GetAllocatedBytesForCurrentThread();
        await MoveAsync(Count);

        Assert.InRange((GC.GetAllocatedBytesForCurrentThread() - before) / Count, 0, 250);

        async Task MoveAsync(int count)
        {
            for (var n = 0; n < count; n++)
            {
                var waiting = _desk.Receiver.ReceiveAsync(room, default);
                await _desk.Sender.SendAsync(message, TimeSpan.Zero, default);
                await waiting;
                await _desk.Receiver.SettleAsync(room[0], Settlement.Complete, default);
            }
        }
    }

    [Fact]
    public void A_waiting_receive_takes_all_that_comes_ready_at_once()
    {
        _desk.Send("a", 0, delay: 1);
        _desk.Send("b", 0, delay: 1);
        var room = new Delivery[8];
        var waiting = _desk.Receiver.ReceiveAsync(room, default);

        _desk.Pass(1);

        Assert.Equal(2, Desk.Now(waiting));
        Assert.Equal(["a", "b"], room.Take(2).Select(delivery => delivery.Message.Id));
    }

    [Fact]
    public void A_new_receive_does_not_overtake_one_that_waits_even_if_the_timer_is_late()
    {
        var first = _desk.WaitAsync();
        _desk.Send("a", 0, delay: 0.0005);
        _desk.Pass(0.0007);

        var second = _desk.WaitAsync();

        Assert.True(first.IsCompletedSuccessfully);
        Assert.False(second.IsCompleted);
    }

    [Fact]
    public void One_receiver_can_wait_several_times_at_once()
    {
        var waits = new[] { _desk.WaitAsync(), _desk.WaitAsync(), _desk.WaitAsync() };

        _desk.Send("a", "b", "c");

        Assert.All(waits, wait => Assert.True(wait.IsCompletedSuccessfully));
    }

    [Fact]
    public void A_wait_that_was_called_off_is_out_of_the_line()
    {
        using var cancel = new CancellationTokenSource();
        var first = _desk.WaitAsync(cancel: cancel.Token);
        var second = _desk.WaitAsync();

        cancel.Cancel();
        _desk.Send("a");

        Assert.True(first.IsCanceled);
        Assert.True(second.IsCompletedSuccessfully);
    }

    [Fact]
    public void Of_a_wait_that_was_called_off_nothing_is_left_to_the_next_one()
    {
        using var cancel = new CancellationTokenSource();
        var first = _desk.WaitAsync(cancel: cancel.Token);
        cancel.Cancel();
        Assert.True(first.IsCanceled);

        var second = _desk.WaitAsync();
        _desk.Send("a");

        Assert.True(second.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_wait_that_got_its_message_before_it_was_called_off_hands_it_over()
    {
        using var cancel = new CancellationTokenSource();
        var room = new Delivery[1];
        var waiting = _desk.Receiver.ReceiveAsync(room, cancel.Token);

        _desk.Send("a");
        cancel.Cancel();

        Assert.Equal(1, Desk.Now(waiting));
        Assert.True(_desk.Complete(room[0]));
    }

    [Fact]
    public void A_token_that_is_cancelled_after_the_wait_ended_does_not_touch_the_next_one()
    {
        using var cancel = new CancellationTokenSource();
        var first = _desk.WaitAsync(cancel: cancel.Token);
        _desk.Send("a");
        var second = _desk.WaitAsync();

        cancel.Cancel();
        Assert.False(second.IsCompleted);
        _desk.Send("b");

        Assert.True(first.IsCompletedSuccessfully);
        Assert.True(second.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_receive_without_room_takes_nothing()
    {
        Assert.Equal(0, Desk.Now(_desk.Receiver.ReceiveAsync(Memory<Delivery>.Empty, default)));
        _desk.Send("a");
        Assert.Equal(0, Desk.Now(_desk.Receiver.ReceiveAsync(Memory<Delivery>.Empty, default)));

        Assert.Equal(1, _desk.Counts.Waiting);
    }

    [Fact]
    public async Task Waits_settlements_and_sends_of_many_threads_lose_nothing_even_when_called_off()
    {
        const int Count = 20_000;
        var completed = 0;
        var senders = Enumerable.Range(0, 2).Select(_ => Task.Run(() =>
        {
            for (var n = 0; n < Count / 2; n++)
                _desk.Send("m");
        }));
        var receivers = Enumerable.Range(0, 3).Select(_ => Task.Run(async () =>
        {
            var room = new Delivery[4];
            while (Volatile.Read(ref completed) < Count)
            {
                using var cancel = new CancellationTokenSource();
                var receiving = _desk.Receiver.ReceiveAsync(room, cancel.Token).AsTask();
                var cancelling = Task.Run(cancel.Cancel);
                await Task.WhenAny(receiving);
                await cancelling;
                if (receiving.IsCanceled)
                    continue;
                foreach (var delivery in room[..await receiving])
                {
                    Assert.Equal(1, delivery.DeliveryCount);
                    Assert.True(_desk.Complete(delivery));
                    Interlocked.Increment(ref completed);
                }
            }
        }));

        await Task.WhenAll([.. senders, .. receivers]).WaitAsync(TimeSpan.FromSeconds(60));

        Assert.Equal(Count, completed);
        Assert.Equal(default, _desk.Counts with { Queue = null! });
    }
}
