using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Holdfast.Tests.Kit;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class SpanTests : IDisposable
{
    private readonly SpanLog _spans = new();
    private readonly HoldfastMeter _meter = new();

    public void Dispose()
    {
        _spans.Dispose();
        _meter.Dispose();
    }

    [Fact]
    public void A_handler_runs_inside_a_span_that_goes_on_with_its_messages_trace()
    {
        Activity? current = null;
        var order = new Message { Id = "order", CorrelationId = "basket", Body = new byte[7], Properties = _spans.Message("").Properties };
        Run(async (_, engine) =>
        {
            await engine.Sleep(1);
            current = Activity.Current;
            return Settlement.Complete;
        }, order);

        var process = Assert.Single(_spans.Of("process"));
        Assert.Same(process, current);
        Assert.Equal(("process orders", ActivityKind.Consumer), (process.DisplayName, process.Kind));
        Assert.Equal((_spans.Parent.TraceId, _spans.Parent.SpanId), (process.TraceId, process.ParentSpanId));
        Assert.Equal(_spans.Parent.SpanId, Assert.Single(process.Links).Context.SpanId);
        Assert.Equal(
            new Dictionary<string, object?>
            {
                ["messaging.system"] = "inmemory",
                ["messaging.destination.name"] = "orders",
                ["messaging.operation.name"] = "process",
                ["messaging.operation.type"] = "process",
                ["messaging.message.id"] = "order",
                ["messaging.message.conversation_id"] = "basket",
                ["messaging.message.body.size"] = 7,
                ["holdfast.delivery_count"] = 1,
            },
            process.TagObjects.ToDictionary());
        Assert.Equal(ActivityStatusCode.Unset, process.Status);
    }

    [Fact]
    public void A_span_that_the_handler_begins_is_within_its_own()
    {
        using var source = new ActivitySource("Holdfast");
        Run((_, _) =>
        {
            using var work = source.StartActivity("work");
            return new(Settlement.Complete);
        }, _spans.Message("order"));

        Assert.Equal(Assert.Single(_spans.Of("process")).SpanId, Assert.Single(_spans.Of("work")).ParentSpanId);
    }

    [Fact]
    public void What_a_host_is_started_in_is_nothing_that_its_handlers_run_in()
    {
        var place = new AsyncLocal<string>();
        var seen = new List<string>();
        using var hand = new EngineByHand((_, _) =>
        {
            seen.Add($"{place.Value} {Activity.Current?.OperationName}");
            return new(Settlement.Complete);
        });

        place.Value = "startup";
        using (new Activity("startup").Start())
            hand.Engine.Start();
        place.Value = "";
        hand.Send("a");
        hand.Run(1);

        Assert.DoesNotContain("startup", Assert.Single(seen), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_dead_letter_names_the_traces_of_its_deliveries_also_where_its_sender_traced_nothing()
    {
        using var spans = new SpanLog("untraced");
        using var hand = new EngineByHand((_, _) => throw new InvalidOperationException("No luck."), options => options.Retry.MaxDeliveries = 2, otherQueues: "untraced").Start();
        await using var sender = await hand.Broker.OpenSenderAsync("untraced", default);
        await sender.SendAsync(new Message { Id = "a" }, TimeSpan.Zero, default);
        hand.Run(60);

        var (dead, traces) = (hand.Take(DeadLetters.QueueOf("untraced")).Properties, spans.Of("process").Select(span => span.TraceId.ToHexString()).ToArray());
        Assert.Equal(2, traces.Distinct().Count());
        Assert.Equal(traces[^1], dead[DeadLetterProperties.Trace]);
        Assert.Equal(traces, JsonSerializer.Deserialize<List<FailedDelivery>>((string)dead[DeadLetterProperties.Failures]!, JsonSerializerOptions.Web)!.Select(failed => failed.Trace));
    }

    [Fact]
    public void Settling_is_a_span_within_that_of_the_handler()
    {
        Run((_, _) => new(Settlement.DeadLetter("odd", "Not for us.")), _spans.Message("order"));

        var settle = Assert.Single(_spans.Of("settle"));
        Assert.Equal((ActivityKind.Client, Assert.Single(_spans.Of("process")).SpanId), (settle.Kind, settle.ParentSpanId));
        Assert.Equal(("dead_letter", "settle"), (settle.GetTagItem("holdfast.settlement"), settle.GetTagItem("messaging.operation.type")));
    }

    [Fact]
    public void Each_try_to_settle_is_a_span_of_its_own_that_ends_with_the_brokers_answer()
    {
        var endedWhileItWaits = 0;
        Run((message, engine) =>
        {
            engine.Faults.Settlements.Fail(1);
            _ = LookAsync(engine);
            return new(Settlement.Complete);
        }, _spans.Message("order"));

        Assert.Equal(1, endedWhileItWaits);
        Assert.Equal([ActivityStatusCode.Error, ActivityStatusCode.Unset], _spans.Of("settle").Select(span => span.Status));

        async Task LookAsync(EngineByHand engine)
        {
            await engine.Sleep(0.1);
            endedWhileItWaits = _spans.Of("settle").Length;
        }
    }

    [Fact]
    public void A_receive_is_linked_to_what_it_brought()
    {
        Run((_, _) => new(Settlement.Complete), _spans.Message("one"), _spans.Message("two"));

        var receive = Assert.Single(_spans.Of("receive"), span => span.Links.Count() == 2);
        Assert.Equal((ActivityKind.Client, default), (receive.Kind, receive.ParentSpanId));
        Assert.All(receive.Links, link => Assert.Equal(_spans.Parent.SpanId, link.Context.SpanId));
        Assert.Equal(2, receive.GetTagItem("messaging.batch.message_count"));
    }

    [Fact]
    public void What_is_begun_after_a_receive_carries_nothing_of_its_span()
    {
        var (before, clock) = (ExecutionContext.Capture(), new Clock(TimeProvider.System));
        new MessageTracer("orders", "inmemory", _meter, NullLogger.Instance).Received([new Arrived(_spans.Message("order"))], clock.Now, clock.Now, clock);

        Assert.Single(_spans.Of("receive"));
        Assert.Same(before, ExecutionContext.Capture());
    }

    [Fact]
    public void A_renewal_is_a_span_on_its_messages_trace_and_tells_how_long_the_broker_took()
    {
        Run(async (_, engine) =>
        {
            engine.Faults.Renewals.Slow(TimeSpan.FromSeconds(1));
            await engine.Sleep(8);
            return Settlement.Complete;
        }, _spans.Message("order"));

        var renew = Assert.Single(_spans.Of("renew_message_lock"));
        Assert.Equal((ActivityKind.Client, Assert.Single(_spans.Of("process")).SpanId), (renew.Kind, renew.ParentSpanId));
        Assert.Empty(renew.Links);
        Assert.Equal(1, renew.Duration.TotalSeconds, 0.001);
        Assert.Equal(1, renew.GetTagItem("messaging.batch.message_count"));
    }

    [Fact]
    public void Leases_that_are_renewed_together_share_a_span_that_is_linked_to_those_that_are_traced()
    {
        Run(async (_, engine) =>
        {
            await engine.Sleep(8);
            return Settlement.Complete;
        }, _spans.Message("one"), _spans.Message("two"), new Message { Id = "untraced" });

        var renew = Assert.Single(_spans.Of("renew_message_lock"));
        Assert.Equal((default, 3), (renew.ParentSpanId, renew.GetTagItem("messaging.batch.message_count")));
        Assert.Equal(_spans.Of("process").Select(span => span.SpanId).ToHashSet(), [.. renew.Links.Select(link => link.Context.SpanId)]);
    }

    [Fact]
    public void However_many_are_renewed_together_their_span_has_no_more_links_than_it_may()
    {
        using var keeper = new KeeperByHand();
        var batch = new RenewalBatch(keeper.Book, 100);
        for (var i = 0; i < 100; i++)
            batch.Add(new Lease(keeper.Book, new Arrived(new Message { Id = "order" }), TimeSpan.Zero, spread: 0) { Trace = _spans.Parent });

        Assert.Equal(Spans.MostLinks, batch.Traces().Length);
    }

    [Fact]
    public void A_renewal_that_failed_says_so()
    {
        Run(async (_, engine) =>
        {
            engine.Faults.Renewals.Fail(1);
            await engine.Sleep(8);
            return Settlement.Complete;
        }, _spans.Message("order"));

        var failed = Assert.Single(_spans.Of("renew_message_lock"), span => span.Status == ActivityStatusCode.Error);
        Assert.Equal("Holdfast.Broker.BrokerException", failed.GetTagItem("error.type"));
    }

    [Fact]
    public void A_renewals_span_ends_when_its_answer_came_however_late_it_is_made()
    {
        EngineByHand hand = null!;
        using (hand = new EngineByHand(
            async (_, _) =>
            {
                await hand.Sleep(8);
                return Settlement.Complete;
            },
            log: new Slow(() => hand.Time.Advance(TimeSpan.FromSeconds(1)))))
        {
            hand.Faults.Renewals.Fail(1);
            hand.Send(_spans.Message("order"));
            hand.Start().Run(20);
        }

        var failed = Assert.Single(_spans.Of("renew_message_lock"), span => span.Status == ActivityStatusCode.Error);
        Assert.InRange((failed.StartTimeUtc - new DateTime(2026, 1, 1)).TotalSeconds, 4.5, 5);
    }

    [Fact]
    public void A_handler_that_failed_marks_its_span_and_what_a_stranger_wrote_is_cut_short()
    {
        Run((_, _) => throw new InvalidOperationException(new string('!', 10_000)), _spans.Message(new string('x', 255) + "\U0001F600"));

        var process = _spans.Of("process")[0];
        Assert.Equal((ActivityStatusCode.Error, "System.InvalidOperationException"), (process.Status, process.GetTagItem("error.type")));
        Assert.Equal((new string('!', 256), new string('x', 255)), (process.StatusDescription, process.GetTagItem("messaging.message.id")));
    }

    [Fact]
    public void A_message_that_its_handler_refuses_marks_its_span_and_its_duration_with_the_reason()
    {
        const string Reason = "http_422";
        using var hand = new EngineByHand((message, _) => new(message.Id == "odd" ? Settlement.DeadLetter(Reason, new string('!', 10_000)) : Settlement.Delay(TimeSpan.FromHours(1))));
        hand.Send(_spans.Message("odd"));
        hand.Send(_spans.Message("later"));
        hand.Start().Run(5);

        var process = _spans.Of("process");
        var refused = Assert.Single(process, span => Equals(span.GetTagItem("messaging.message.id"), "odd"));
        Assert.Equal((ActivityStatusCode.Error, Reason, new string('!', 256)), (refused.Status, refused.GetTagItem("error.type"), refused.StatusDescription));
        Assert.Equal(ActivityStatusCode.Unset, Assert.Single(process, span => span != refused).Status);
        var durations = hand.Queue.Meter.OfEngine.Process.Series.Where(series => series.Tags.Any(tag => Equals(tag.Value, "orders")))
            .Select(series =>
            {
                var counts = new long[100];
                series.Read(counts);
                return (series.Tags.SingleOrDefault(tag => tag.Key == "error.type").Value, counts.Sum());
            });
        Assert.Equal([(null, 1L), (Reason, 1L)], durations);
    }

    [Fact]
    public void What_is_not_recorded_upstream_makes_no_spans_of_its_own_here()
    {
        using var spans = new SpanLog(isParentBased: true);
        Run(async (_, engine) =>
        {
            await engine.Sleep(8);
            return Settlement.Complete;
        }, Unrecorded("one"), Unrecorded("two"));

        // A receive is a trace of its own.
        Assert.Equal(["receive orders"], spans.Ended.Select(span => span.DisplayName).Distinct());

        Message Unrecorded(string id) => new() { Id = id, Properties = new Dictionary<string, object?> { ["traceparent"] = $"00-{spans.Parent.TraceId}-{spans.Parent.SpanId}-00" } };
    }

    [Theory]
    [InlineData(null)]
    [InlineData("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")]
    public void A_settlement_whose_trace_nobody_records_is_no_span(string? parent)
    {
        using var spans = new SpanLog("unrecorded");
        using var keeper = new KeeperByHand();
        var message = new Message { Id = "order", Properties = parent is null ? [] : new Dictionary<string, object?> { ["traceparent"] = parent } };
        var tracer = new MessageTracer("unrecorded", "inmemory", _meter, NullLogger.Instance);

        Assert.Null(tracer.Settle(new Lease(keeper.Book, new Arrived(message), TimeSpan.Zero, spread: 0), process: null, Settlement.Complete));
    }

    [Theory]
    [InlineData("process", true)]
    [InlineData("process", false)]
    [InlineData("settle", true)]
    [InlineData("settle", false)]
    public void A_listener_that_throws_costs_the_span_and_not_the_message(string operation, bool atStart)
    {
        var runs = 0;
        var log = new Notes<Engine>();
        using var listener = new BrokenListener(span => span.TraceId == _spans.Parent.TraceId && span.DisplayName.StartsWith(operation, StringComparison.Ordinal), atStart);
        using var hand = new EngineByHand(
            (_, _) =>
            {
                runs++;
                return new(Settlement.Complete);
            },
            log: log);

        hand.Send(_spans.Message("order"));
        hand.Start().Run(20);

        Assert.Equal((0, 0), (hand.Queue.Admission.Used, hand.Keeper.Held));
        Assert.Equal((1, 1, "order Complete"), (listener.Throws, runs, Assert.Single(hand.Spy.Settled)));
        Assert.Empty(hand.Queue.Meter.LastMisses.ToArray());
        Assert.Contains("InvalidOperationException: This listener is broken.", Assert.Single(log.Troubles), StringComparison.Ordinal);
    }

    [Fact]
    public void A_listener_that_throws_at_what_was_received_ends_nothing_and_is_told_of_once()
    {
        using var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Holdfast",
            Sample = (ref ActivityCreationOptions<ActivityContext> options) =>
                options.Links?.Any(link => link.Context.TraceId == _spans.Parent.TraceId) == true && options.Name.StartsWith("receive", StringComparison.Ordinal)
                    ? throw new InvalidOperationException("This listener is broken.")
                    : ActivitySamplingResult.None,
        };
        ActivitySource.AddActivityListener(listener);
        var log = new Notes<Engine>();
        using var hand = new EngineByHand((_, _) => new(Settlement.Complete), log: log);

        hand.Start();
        foreach (var id in new[] { "one", "two" })
        {
            hand.Send(_spans.Message(id));
            hand.Run(1);
        }

        Assert.Equal(["one Complete", "two Complete"], hand.Spy.Settled);
        Assert.Equal(EngineState.Running, hand.Status.State);
        Assert.Single(log.Lines, line => line.Contains("A listener to metrics or spans throws: InvalidOperationException: This listener is broken.", StringComparison.Ordinal));
    }

    [Fact]
    public void A_held_lease_knows_its_trace_before_and_while_it_is_handled()
    {
        using var keeper = new KeeperByHand();
        var lease = new Lease(keeper.Book, new Arrived(_spans.Message("order")), TimeSpan.Zero, spread: 0);
        Assert.Equal((default, _spans.Parent.TraceId), (lease.KnownTrace.TraceId, lease.Trace.TraceId));

        var inner = new ActivityContext(_spans.Parent.TraceId, ActivitySpanId.CreateRandom(), ActivityTraceFlags.Recorded);
        lease.Trace = inner;
        Assert.Equal((inner, inner), (lease.Trace, lease.KnownTrace));
    }

    [Fact]
    public void In_a_rush_only_so_many_traces_begin_and_those_that_others_began_all_go_on()
    {
        using var spans = new SpanLog("rush");
        using var keeper = new KeeperByHand();
        var tracer = new MessageTracer("rush", "inmemory", _meter, NullLogger.Instance);

        Assert.Equal((RootBudget.PerSecond, 3000), (Processed(new Message { Id = "ours" }), Processed(spans.Message("theirs"))));

        tracer.Adapt();
        Assert.Equal(RootBudget.PerSecond / 10, Processed(new Message { Id = "ours" }));

        int Processed(Message message)
        {
            var before = spans.Of("process").Length;
            for (var i = 0; i < 3000; i++)
                tracer.Processed(tracer.Process(new Lease(keeper.Book, new Arrived(message), TimeSpan.Zero, spread: 0)), attempts: 1);
            return spans.Of("process").Length - before;
        }
    }

    [Fact]
    public void What_the_listeners_sampler_drops_leaves_room_for_what_it_takes()
    {
        using var keeper = new KeeperByHand();
        var tracer = new MessageTracer("dropped", "inmemory", _meter, NullLogger.Instance);
        for (var i = 0; i < 3000; i++)
            Assert.Null(Process());

        using var spans = new SpanLog("dropped");
        tracer.Processed(Process(), attempts: 1);
        Assert.Single(spans.Of("process"));

        Activity? Process() => tracer.Process(new Lease(keeper.Book, new Arrived(new Message { Id = "ours" }), TimeSpan.Zero, spread: 0));
    }

    private static void Run(Func<HeldMessage, EngineByHand, ValueTask<Settlement>> handle, params Message[] messages)
    {
        EngineByHand engine = null!;
        using (engine = new EngineByHand((message, _) => handle(message, engine), options => options.Retry.MaxDeliveries = 1))
        {
            foreach (var message in messages)
                engine.Send(message);
            engine.Start().Run(20);
        }
    }

    /// <summary>A log that takes its time for each line.</summary>
    private sealed class Slow(Action wait) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) => wait();
    }

    private sealed class Arrived : Delivery
    {
        [SetsRequiredMembers]
        public Arrived(Message message) => (Message, DeliveryCount, LockDuration) = (message, 1, TimeSpan.FromSeconds(10));
    }
}
