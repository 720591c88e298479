using System.Text;
using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class PublishingTests : IDisposable
{
    private readonly List<TaskScheduler> _resumed = [];
    private readonly EngineByHand _hand;
    private Func<HeldMessage, CancellationToken, ValueTask<Settlement>> _handle = (_, _) => new(Settlement.Complete);

    public PublishingTests()
    {
        Func<HeldMessage, CancellationToken, ValueTask<Settlement>>? publishing = null;
        _hand = new EngineByHand(
            async (message, cancel) =>
            {
                // The handler of the host: wrapped once, around whatever the test wants.
                publishing ??= Publishing.After((message, cancel) => _handle(message, cancel), new Senders(_hand!.Spy));
                var settlement = await publishing(message, cancel);
                _resumed.Add(TaskScheduler.Current);
                return settlement;
            },
            options => (options.Retry.Immediate, options.Retry.ImmediateDelay) = (1, TimeSpan.FromMilliseconds(10)));
        _hand.Start();
    }

    public void Dispose() => _hand.Dispose();

    [Fact]
    public void What_is_published_is_there_before_the_message_is_completed()
    {
        _handle = (message, _) =>
        {
            message.Publish("next", new Message { Id = "b" });
            message.Publish("next", new Message { Id = "c" });
            message.Publish("other", new Message { Id = "d" }, TimeSpan.FromMinutes(1));
            Assert.Equal(0, Ready("next"));
            return new(Settlement.Complete);
        };
        _hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(1));

        _hand.Send("a");
        _hand.Run(0.5);
        Assert.Equal((2, 0), (Ready("next"), _hand.Spy.Settled.Count));

        _hand.Run(60);
        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal(1, Ready("other"));
        Assert.IsType<Holdfast.Scheduling.Strand>(Assert.Single(_resumed));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Of_a_handler_that_what_stands_around_it_calls_again_only_the_call_that_completed_counts(bool throws)
    {
        var calls = 0;
        var handle = Publishing.Within((message, _) =>
        {
            message.Publish("next", new Message { Id = $"of call {++calls}" });
            return calls > 1 ? new(Settlement.Complete)
                : throws ? throw new TimeoutException()
                : new(Settlement.Abandon);
        });
        _handle = async (message, cancel) =>
        {
            message.Publish("other", new Message { Id = "of what stands around it" });
            try
            {
                await handle(message, cancel);
            }
            catch (TimeoutException)
            {
            }

            return await handle(message, cancel);
        };

        _hand.Send("a");
        _hand.Run(1);

        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal((1, 1), (Ready("next"), Ready("other")));
    }

    [Fact]
    public void So_it_is_where_calls_that_fail_stand_side_by_side()
    {
        var calls = 0;
        var handle = Publishing.Within(async (message, _) =>
        {
            var call = ++calls;
            message.Publish("next", new Message { Id = $"of call {call}" });
            await _hand.Sleep(call);
            return call < 3 ? throw new TimeoutException() : Settlement.Complete;
        });
        _handle = async (message, cancel) =>
        {
            foreach (var call in new[] { handle(message, cancel).AsTask(), handle(message, cancel).AsTask() })
                await Assert.ThrowsAsync<TimeoutException>(() => call);
            return await handle(message, cancel);
        };

        _hand.Send("a");
        _hand.Run(10);

        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal((3, 1), (calls, Ready("next")));
    }

    [Fact]
    public void A_call_that_fails_takes_nothing_from_one_beside_it_that_completes()
    {
        var calls = 0;
        var handle = Publishing.Within(async (message, _) =>
        {
            var isFirst = ++calls == 1;
            if (isFirst)
                message.Publish("next", new Message { Id = "of the one that completes" });
            await _hand.Sleep(isFirst ? 1 : 2);
            return isFirst ? Settlement.Complete : throw new TimeoutException();
        });
        _handle = async (message, cancel) =>
        {
            var (first, second) = (handle(message, cancel).AsTask(), handle(message, cancel).AsTask());
            await Assert.ThrowsAsync<TimeoutException>(() => second);
            return await first;
        };

        _hand.Send("a");
        _hand.Run(10);

        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal("of the one that completes", _hand.Take("next").Id);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_an_attempt_that_was_given_up_left_running_takes_nothing_from_the_next_and_adds_nothing_to_it(bool throws)
    {
        var calls = 0;
        var left = Task.CompletedTask;
        var handle = Publishing.Within(async (message, _) =>
        {
            var isFirst = ++calls == 1;
            message.Publish("next", new Message { Id = isFirst ? "of the one left running" : "of the next" });
            await _hand.Sleep(isFirst ? 5 : 10);
            return isFirst && throws ? throw new TimeoutException() : Settlement.Complete;
        });
        _handle = async (message, cancel) =>
        {
            var handling = handle(message, cancel).AsTask();
            if (message.Attempt > 1)
                return await handling;
            left = handling;
            throw new InvalidOperationException("It takes too long.");
        };

        _hand.Send("a");
        _hand.Run(20);

        Assert.True(left.IsFaulted);
        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal("of the next", _hand.Take("next").Id);
        Assert.Equal(0, Ready("next"));
    }

    [Fact]
    public void Nor_does_what_a_failed_handler_left_running()
    {
        HeldMessage? first = null;
        _handle = (message, _) =>
        {
            if (first is null)
            {
                first = message;
                throw new InvalidOperationException();
            }

            Assert.Throws<InvalidOperationException>(() => first.Publish("next", new Message { Id = "of the first" }));
            message.Publish("next", new Message { Id = "of the second" });
            return new(Settlement.Complete);
        };

        _hand.Send("a");
        _hand.Run(1);

        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal("of the second", _hand.Take("next").Id);
    }

    [Fact]
    public void What_stands_around_a_handler_may_hand_on_other_content()
    {
        var seen = new List<string>();
        var handle = Publishing.Within((message, _) =>
        {
            seen.Add($"{message.Id} {message.DeliveryCount} {message.LeaseRemaining < TimeSpan.MaxValue} {Encoding.UTF8.GetString(message.Body.Span)}");
            message.Publish("next", new Message { Id = "b" });
            return new(Settlement.Complete);
        });
        _handle = (message, cancel) => handle(message.With(new Message { Id = message.Id, Body = "plain"u8.ToArray() }), cancel);

        _hand.Send("a");
        _hand.Run(1);

        Assert.Equal(["a 1 True plain"], seen);
        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal("b", _hand.Take("next").Id);
    }

    [Fact]
    public void But_no_message_that_nobody_holds()
    {
        var handle = Publishing.Within((_, _) => new(Settlement.Complete));
        _handle = async (message, cancel) =>
        {
            var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => handle(new HeldMessage(message.Queue, message.Message), cancel).AsTask());
            Assert.Contains("hand on the one that it was given, or message.With(...)", refused.Message, StringComparison.Ordinal);
            return Settlement.Complete;
        };

        _hand.Send("a");
        _hand.Run(1);

        Assert.Equal(["a Complete"], _hand.Spy.Settled);
    }

    [Fact]
    public void A_handler_runs_on_its_strand_wherever_what_stands_around_it_has_gone()
    {
        var ran = new List<TaskScheduler>();
        var handle = Publishing.Within(async (_, _) =>
        {
            ran.Add(TaskScheduler.Current);
            await Task.Yield();
            ran.Add(TaskScheduler.Current);
            return Settlement.Complete;
        });
        HeldMessage? held = null;
        _handle = async (message, cancel) =>
        {
            held = message;
            return await await Task.Factory.StartNew(() => handle(message, cancel).AsTask(), cancel, TaskCreationOptions.None, new ElsewhereAtOnce());
        };

        _hand.Send("a");
        _hand.Run(1);

        Assert.Equal([held!.Strand!, held.Strand!], ran);
        Assert.Equal(["a Complete"], _hand.Spy.Settled);
    }

    [Fact]
    public void Nothing_is_sent_by_a_handler_that_says_nothing_of_its_message()
    {
        _handle = (message, _) =>
        {
            message.Publish("next", new Message { Id = $"of delivery {message.DeliveryCount}" });
            return message.DeliveryCount > 1 ? new(Settlement.Complete) : default;
        };

        _hand.Send("a");
        _hand.Run(60);

        Assert.Equal(["a Delay", "a Complete"], _hand.Spy.Settled);
        Assert.Equal(1, Ready("next"));
    }

    [Theory]
    [InlineData(SettlementKind.Abandon)]
    [InlineData(SettlementKind.Delay)]
    [InlineData(SettlementKind.DeadLetter)]
    public void Nothing_is_sent_for_a_message_that_ends_otherwise(SettlementKind kind)
    {
        _handle = (message, _) =>
        {
            if (message.DeliveryCount == 1)
                message.Publish("next", new Message { Id = "b" });
            return new(message.DeliveryCount > 1 ? Settlement.Complete : kind switch
            {
                SettlementKind.Abandon => Settlement.Abandon,
                SettlementKind.Delay => Settlement.Delay(TimeSpan.FromSeconds(1)),
                _ => Settlement.DeadLetter("odd", "Odd."),
            });
        };

        _hand.Send("a");
        _hand.Run(10);

        Assert.Equal($"a {kind}", _hand.Spy.Settled[0]);
        Assert.Equal(0, Ready("next"));
    }

    [Fact]
    public void Nothing_is_sent_after_a_standstill_longer_than_the_lease()
    {
        _handle = (message, _) =>
        {
            message.Publish("next", new Message { Id = $"of delivery {message.DeliveryCount}" });
            if (message.DeliveryCount == 1)
                _hand.Time.Advance(TimeSpan.FromMinutes(1));
            return new(Settlement.Complete);
        };

        _hand.Send("a");
        _hand.Run(1);

        Assert.Equal("of delivery 2", _hand.Take("next").Id);
        Assert.Equal((0, 1), (Ready("next"), _hand.Misses(MissReason.Expired)));
        Assert.Equal(["a Complete"], _hand.Spy.Settled);
    }

    [Fact]
    public void What_a_failed_attempt_published_is_forgotten()
    {
        _handle = (message, _) =>
        {
            message.Publish("next", new Message { Id = $"attempt {message.Attempt}" });
            return message.Attempt == 1 ? throw new InvalidOperationException() : new(Settlement.Complete);
        };

        _hand.Send("a");
        _hand.Run(1);

        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal(1, Ready("next"));
    }

    [Fact]
    public void What_several_threads_publish_at_once_is_there_to_the_last_one()
    {
        const int Each = 1000;
        var arrived = 0;
        var next = new Message { Id = "b" };
        HeldMessage[] messages = [.. Enumerable.Range(0, 200).Select(n => new HeldMessage("orders", new Message { Id = $"{n}" }))];
        Thread[] threads = [new(PublishAll), new(PublishAll)];

        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());

        Assert.All(messages, message => Assert.Equal(2 * Each, message.Published.Count));

        void PublishAll()
        {
            // To wake a thread takes longer than to publish a thousand: so both spin until both are there.
            for (var n = 0; n < messages.Length; n++)
            {
                Interlocked.Increment(ref arrived);
                while (Volatile.Read(ref arrived) < 2 * (n + 1))
                    Thread.SpinWait(1);
                for (var i = 0; i < Each; i++)
                    messages[n].Publish("next", next);
            }
        }
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public void What_comes_once_the_handler_has_ended_is_refused(bool hasPublished, bool fails)
    {
        var held = new List<HeldMessage>();
        _handle = (message, _) =>
        {
            held.Add(message);
            if (hasPublished)
                message.Publish("next", new Message { Id = "in time" });
            return fails && message.Attempt == 1 ? throw new InvalidOperationException() : new(Settlement.Complete);
        };

        _hand.Send("a");
        _hand.Run(0);
        var late = Assert.Throws<InvalidOperationException>(() => held[0].Publish("next", new Message { Id = "late" }));
        _hand.Run(1);

        Assert.StartsWith("The handler has ended already, so what it publishes to next now would never be sent;", late.Message, StringComparison.Ordinal);
        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal(hasPublished ? 1 : 0, Ready("next"));
    }

    [Fact]
    public void What_comes_while_a_failed_attempt_waits_for_the_next_one_is_refused()
    {
        HeldMessage? held = null;
        _handle = async (message, _) =>
        {
            held = message;
            await Task.Yield();
            return message.Attempt == 1 ? throw new InvalidOperationException() : Settlement.Complete;
        };

        _hand.Send("a");
        _hand.Run(0);
        Assert.Equal(2, held!.Attempt);
        Assert.Throws<InvalidOperationException>(() => held.Publish("next", new Message { Id = "late" }));
        _hand.Run(1);

        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal(0, Ready("next"));
    }

    [Fact]
    public void A_send_that_fails_is_a_failure_of_the_attempt()
    {
        var attempts = 0;
        _handle = (message, _) =>
        {
            attempts++;
            message.Publish("next", new Message { Id = "b" });
            return new(Settlement.Complete);
        };

        _hand.Send("a");
        _hand.Faults.Sends.Fail(1);
        _hand.Run(1);

        Assert.Equal(2, attempts);
        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal(1, Ready("next"));
    }

    [Fact]
    public void Nothing_is_sent_once_the_lease_is_lost()
    {
        _handle = async (message, _) =>
        {
            if (message.DeliveryCount > 1)
                return Settlement.Complete;
            message.Publish("next", new Message { Id = "b" });
            await _hand.Sleep(20);
            return Settlement.Complete;
        };
        _hand.Faults.RefuseRenewals(1);

        _hand.Send("a");
        _hand.Run(30);

        Assert.Equal(["a Complete"], _hand.Spy.Settled);
        Assert.Equal(0, Ready("next"));
    }

    private int Ready(string queue) => _hand.Broker.Counts(queue).Waiting;

    /// <summary>No lane's, as the pool is none, and without threads of its own.</summary>
    private sealed class ElsewhereAtOnce : TaskScheduler
    {
        protected override void QueueTask(Task task) => TryExecuteTask(task);

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

        protected override IEnumerable<Task> GetScheduledTasks() => [];
    }
}
