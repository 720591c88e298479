using System.Buffers;
using System.Text;
using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class SweepTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_silence = TimeSpan.FromMilliseconds(300);
    private static readonly ServerAddress s_server = ServerAddress.Parse("amqp://host");

    private readonly VirtualTime _time = new();
    private readonly FakeConnection _connection = FakeConnection.Open();
    private readonly TaskCompletionSource _committing = new();
    private readonly TaskCompletionSource _hanging = new();
    private FakeChannel _window = FakeChannel.Open();

    [Fact]
    public async Task A_commit_that_is_answered_in_time_counts()
    {
        await using var sweep = await TakenAsync();
        _committing.SetResult();

        await sweep.CommitAsync(default).AsTask().WaitAsync(s_patience);

        Assert.Equal(1, sweep.Committed);
    }

    [Fact]
    public async Task A_commit_that_nobody_answers_is_told_as_not_known_and_never_said_twice()
    {
        await using var sweep = await TakenAsync();
        var committing = sweep.CommitAsync(default).AsTask();

        _time.Advance(TimeSpan.FromMinutes(1));

        IsInDoubt(await Assert.ThrowsAsync<BrokerException>(() => committing.WaitAsync(s_patience)), "either all of it or none");
        _window.Asked();
        await sweep.CommitAsync(default);
        Assert.Empty(_window.Asked());
        Assert.Equal(0, sweep.Committed);
    }

    [Fact]
    public async Task A_commit_whose_channel_ends_before_the_answer_is_told_as_not_known()
    {
        await using var sweep = await TakenAsync();
        _committing.SetException(new IOException("gone"));

        IsInDoubt(await Assert.ThrowsAsync<BrokerException>(() => sweep.CommitAsync(default).AsTask().WaitAsync(s_patience)), "either all of it or none");
    }

    [Theory]
    [InlineData("PRECONDITION_FAILED - partial tx completion", true)]
    [InlineData("PRECONDITION_FAILED - delivery acknowledgement on channel 3 timed out", false)]
    public async Task Only_a_commit_that_was_refused_in_part_is_put_back(string reason, bool isPutBack)
    {
        await using var sweep = await TakenAsync();
        _window.CloseReason = new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.PreconditionFailed, reason);
        _committing.SetException(new IOException("gone"));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sweep.CommitAsync(default).AsTask().WaitAsync(s_patience));

        Assert.Equal(isPutBack, _connection.Channels[^1].Asked().Contains("publish"));
        Assert.Equal(isPutBack, problem.Message.Contains("refused part of a batch", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_queue_that_ends_while_a_batch_is_committed_may_have_the_originals_still()
    {
        await using var sweep = await TakenAsync();
        var committing = sweep.CommitAsync(default).AsTask();
        await _window.CancelAsync();
        _committing.SetResult();

        IsInDoubt(await Assert.ThrowsAsync<BrokerException>(() => committing.WaitAsync(s_patience)), "some of it or all");
        Assert.Equal(0, sweep.Committed);
    }

    [Fact]
    public async Task Word_of_a_crash_after_the_answer_tells_how_many_the_queue_may_have_still()
    {
        await using var sweep = await TakenAsync(ready: 2);
        _committing.SetResult();
        await sweep.CommitAsync(default).AsTask().WaitAsync(s_patience);

        await _window.CancelAsync();

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sweep.NextAsync(default).AsTask().WaitAsync(s_patience));
        Assert.Contains("Up to 1 messages that had left it may be in it again", problem.Message, StringComparison.Ordinal);
        Assert.Equal(1, sweep.Committed);
    }

    [Fact]
    public async Task What_the_queue_has_sent_others_for_it_has_heard_of()
    {
        const int WindowSize = 2_000;
        await using var sweep = await TakenAsync(ready: 2 * WindowSize);
        for (var tag = 2; tag <= WindowSize; tag++)
            await _window.DeliverAsync((ulong)tag, $"{tag}");
        _committing.SetResult();
        await sweep.CommitAsync(default).AsTask().WaitAsync(s_patience);
        await _window.DeliverAsync(WindowSize + 1, "in its place");

        await _window.CancelAsync();

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sweep.NextAsync(default).AsTask().WaitAsync(s_patience));
        Assert.Equal(Problems.WindowEnded("orders.dead", unheard: 0).Message, problem.Message);
    }

    [Fact]
    public async Task A_queue_that_hangs_is_told_and_what_it_sends_late_is_not_held()
    {
        _connection.Ready = 1;
        _connection.Answer = question => question == "consume" ? _hanging.Task : Task.CompletedTask;
        await using var sweep = Of(target: null);
        await sweep.OpenAsync(default);
        var next = sweep.NextAsync(default).AsTask();
        _window = _connection.Channels[^1];

        _time.Advance(Questions.Patience);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => next.WaitAsync(s_patience));
        Assert.Contains("does not answer when it is asked for queue 'orders.dead', not within 10 s", problem.Message, StringComparison.Ordinal);
        Assert.False(_window.IsDisposed);
        _hanging.SetResult();
        await _window.Disposed.WaitAsync(s_patience);
    }

    [Theory]
    [InlineData(1, 1, "orders.dead has 1 messages ready and 1 consumers, ours among them, but hands none out to us")]
    [InlineData(0, 0, "orders.dead has neither messages nor consumers, though we consume it")]
    public async Task A_queue_that_hands_none_out_although_it_is_not_empty_for_sure_is_told(int ready, int consumers, string told)
    {
        await using var sweep = Of(target: null);
        var next = await AskingAsync(sweep, ready, consumers);

        _time.Advance(Questions.Patience - s_silence);
        _hanging.SetResult();

        var problem = await Assert.ThrowsAsync<BrokerException>(() => next.WaitAsync(s_patience));
        Assert.Contains(told, problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_queue_whose_leader_did_not_answer_is_not_taken_for_empty()
    {
        await using var sweep = Of(target: null);
        var next = await AskingAsync(sweep, ready: 0, consumers: 0);
        _hanging.SetResult();

        await _window.DeliverAsync(1, "a");

        Assert.Equal("a", (await next.WaitAsync(s_patience))?.Message.Id);
    }

    [Fact]
    public async Task A_queue_that_others_have_emptied_is_at_its_end()
    {
        await using var sweep = Of(target: null);
        var next = await AskingAsync(sweep, ready: 0, consumers: 1);

        _hanging.SetResult();
        using var enough = new CancellationTokenSource(s_patience);
        while (_time.UntilNextTimer != s_silence)
            await Task.Delay(1, enough.Token);
        _time.Advance(s_silence);

        Assert.Null(await next.WaitAsync(s_patience));
    }

    [Fact]
    public async Task What_is_long_on_its_way_is_waited_for_although_the_queue_has_no_more()
    {
        await using var sweep = Of(target: null);
        var next = await AskingAsync(sweep, ready: 0, consumers: 1);
        _window.Answer = asked => asked.StartsWith("qos", StringComparison.Ordinal) ? _window.DeliverAsync(1, "a") : Task.CompletedTask;

        _hanging.SetResult();

        Assert.Equal("a", (await next.WaitAsync(s_patience))?.Message.Id);
    }

    [Fact]
    public async Task What_can_not_be_taken_in_ends_its_window_and_is_not_passed_over_in_silence()
    {
        _connection.Ready = 2;
        await using var sweep = Of(target: null);
        await sweep.OpenAsync(default);
        var next = sweep.NextAsync(default).AsTask();
        _window = _connection.Channels[^1];

        await _window.DeliverAsync(1, "a", body: new NoRoom().Memory);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => next.WaitAsync(s_patience));
        Assert.Contains("No room", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_message_without_an_id_is_named_by_what_it_says_wherever_it_stands()
    {
        var names = await LookedAtAsync(new byte[][] { [1], [2], [1] }, _ => new BasicProperties { Headers = new Dictionary<string, object?>() }, message => message.Message.Id);

        Assert.Equal(names[0], names[2]);
        Assert.NotEqual(names[0], names[1]);
        Assert.All(names, name => Assert.StartsWith("unnamed-", name, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("orders", "expired")]
    [InlineData("orders.wait.soon", "expired")]
    [InlineData("orders.wait.1000", null)]
    [InlineData("orders.wait.1000.sure", null)]
    [InlineData("orders.replay.track.2", null)]
    [InlineData("orders.replay.2.sure", null)]
    public async Task That_a_message_has_gone_by_our_own_queues_is_no_reason_why_it_is_here(string queue, string? reason)
    {
        var death = new Dictionary<string, object?> { ["queue"] = Encoding.UTF8.GetBytes(queue), ["reason"] = "expired"u8.ToArray() };

        var reasons = await LookedAtAsync([[1]], _ => new BasicProperties { MessageId = "a", Headers = new Dictionary<string, object?> { ["x-death"] = new List<object?> { death } } }, message => message.Reason);

        Assert.Equal(reason, Assert.Single(reasons));
    }

    [Fact]
    public async Task When_a_message_was_put_aside_is_told_by_our_own_note_and_else_by_the_server_s()
    {
        var (ours, servers) = (new AmqpTimestamp(1_767_355_200), new AmqpTimestamp(1_767_358_800));
        var death = new Dictionary<string, object?> { ["queue"] = "orders"u8.ToArray(), ["time"] = servers };

        var times = await LookedAtAsync(
            [[1], [2], [3]],
            body => new BasicProperties
            {
                MessageId = "a",
                Headers = body[0] switch
                {
                    1 => new Dictionary<string, object?> { [DeadLetterProperties.PutAsideAt] = ours, ["x-death"] = new List<object?> { death } },
                    2 => new Dictionary<string, object?> { ["x-death"] = new List<object?> { death } },
                    _ => [],
                },
            },
            message => message.PutAsideAt);

        Assert.Equal([DateTimeOffset.FromUnixTimeSeconds(ours.UnixTime), DateTimeOffset.FromUnixTimeSeconds(servers.UnixTime), null], times);
    }

    [Fact]
    public async Task With_a_rate_no_more_waits_here_than_two_seconds_take_until_what_is_passed_over_waits_longer_anyway()
    {
        _connection.Ready = 1_000_000;
        await using var sweep = Of(target: null, rate: 1);
        await sweep.OpenAsync(default);

        Assert.Equal("qos 2", await PassOverWindowAsync(sweep, 2));
        Assert.Equal("qos 4", await PassOverWindowAsync(sweep, 4));
        Assert.Equal("qos 8", await PassOverWindowAsync(sweep, 8));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_the_server_took_back_from_an_earlier_window_is_told_and_not_taken_for_what_was_never_looked_at(bool isHeardOf)
    {
        _connection.Ready = 6;
        await using var sweep = Of(target: null, rate: 1);
        await sweep.OpenAsync(default);
        await PassOverWindowAsync(sweep, 2);
        var first = _window;
        var timedOut = new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.PreconditionFailed, "PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 1800000 ms.");
        await PassOverWindowAsync(sweep, 4);
        if (isHeardOf)
            await first.ShutDownAsync(timedOut);
        else
            first.Answer = _ => Task.FromException(new OperationInterruptedException(timedOut));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sweep.NextAsync(default).AsTask().WaitAsync(s_patience));

        Assert.Equal(
            "RabbitMQ at amqp://guest@host:5672/ took back what was held of queue 'orders.dead' for longer than it allows (PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 1800000 ms). What is passed over is held to the end: ask for less in one call, by a smaller --limit, a narrower filter or a higher --rate.",
            problem.Message);
    }

    [Fact]
    public async Task What_the_server_took_back_is_told_before_another_window_is_filled_with_it()
    {
        _connection.Ready = 1_000;
        await using var sweep = Of(target: null, rate: 1);
        await sweep.OpenAsync(default);
        await PassOverWindowAsync(sweep, 2);
        var first = _window;
        await PassOverWindowAsync(sweep, 4);
        await first.CancelAsync();

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sweep.NextAsync(default).AsTask().WaitAsync(s_patience));

        Assert.Equal(Problems.WindowEnded("orders.dead", unheard: 0).Message, problem.Message);
    }

    [Theory]
    [InlineData("look", "'orders'")]
    [InlineData("declare orders.replay.track.2", "'orders.replay.track.2'")]
    public async Task A_queue_of_the_way_there_that_hangs_is_told_with_its_name(string question, string queue)
    {
        await using var sweep = Of("orders");
        _connection.Answer = asked => asked == question && _connection.Channels.Count > 1 ? _hanging.Task : Task.CompletedTask;
        var opening = sweep.OpenAsync(default);

        _time.Advance(Questions.Patience);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => opening.WaitAsync(s_patience));
        Assert.Contains($"does not answer when it is asked for queue {queue}, not within 10 s", problem.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_is_put_back_and_not_confirmed_is_told_as_lost_perhaps(bool isRefused)
    {
        var published = 0;
        await using var sweep = await TakenAsync(ready: 2, target: "orders");
        var next = sweep.NextAsync(default);
        await _window.DeliverAsync(2, "b");
        await sweep.TakeAsync((await next)!, default);
        _connection.Answer = question => question == "publish" && ++published == 1 ? _hanging.Task : Task.CompletedTask;
        if (isRefused)
        {
            _window.CloseReason = new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.PreconditionFailed, "PRECONDITION_FAILED - partial tx completion");
            _committing.SetException(new IOException("gone"));
        }
        else
        {
            foreach (var queue in new[] { "orders.replay.track.1", "orders.replay.track.2", "orders.replay.track.3", "orders.replay.track.4" })
                await _window.ReturnAsync(queue);
            _committing.SetResult();
        }

        var committing = sweep.CommitAsync(default).AsTask();
        Assert.Equal(["publish", "publish"], _connection.Channels[^1].Asked());
        _time.Advance(TimeSpan.FromMinutes(1));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => committing.WaitAsync(s_patience));
        Assert.Contains("2 messages were to be put back into 'orders.dead': 1 were, and 1 may be lost, unless they are there or in 'orders' all the same.", problem.Message, StringComparison.Ordinal);
        Assert.Contains(isRefused ? "refused part of a batch" : "is gone", problem.Message, StringComparison.Ordinal);
        Assert.Equal((false, 0), (problem.IsTransient, sweep.Committed));
    }

    [Fact]
    public async Task Of_a_batch_those_count_whose_queue_was_there_and_the_others_are_put_back()
    {
        await using var sweep = await TakenAsync(ready: 2, target: "orders");
        var next = sweep.NextAsync(default);
        await _window.DeliverAsync(2, "b");
        await sweep.TakeAsync((await next)!, default);
        await _window.ReturnAsync("orders.replay.track.2");
        _committing.SetResult();

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sweep.CommitAsync(default).AsTask().WaitAsync(s_patience));

        Assert.Contains("What could not be sent there, 1 messages, was put back into 'orders.dead'.", problem.Message, StringComparison.Ordinal);
        Assert.Equal(("orders.dead", "a"), Assert.Single(_connection.Channels[^1].Published.Select(back => (back.Queue, back.Envelope.MessageId))));
        Assert.Equal(1, sweep.Committed);
    }

    [Fact]
    public async Task A_window_that_ends_while_its_batch_is_told_commits_nothing()
    {
        await using var sweep = await TakenAsync();
        _window.Answer = question => question == "ack 1" ? _window.CancelAsync() : Task.CompletedTask;

        await Assert.ThrowsAsync<BrokerException>(() => sweep.CommitAsync(default).AsTask().WaitAsync(s_patience));

        Assert.Equal(["ack 1"], _window.Asked().SkipWhile(asked => asked != "ack 1"));
        Assert.Equal(0, sweep.Committed);
    }

    [Fact]
    public async Task One_letter_that_can_not_be_sent_again_stays_and_the_others_are_sent()
    {
        _committing.SetResult();
        _connection.FrameMax = 4096;
        await using var sweep = await TakenAsync(ready: 4, target: "orders");
        var strange = new BasicProperties { MessageId = new string('\ufffd', 255) };
        foreach (var (tag, letter) in new[] { (2ul, Holding("large", 'x', 4096)), (3ul, strange), (4ul, Holding("d", 'x', 1)) })
        {
            await _window.DeliverAsync(tag, letter, isRedelivered: false);
            await sweep.TakeAsync((await sweep.NextAsync(default))!, default);
        }

        await sweep.CommitAsync(default);

        Assert.Equal(["a", ShortText.Fit(strange.MessageId), "d"], _window.Published.Select(copy => copy.Envelope.MessageId));
        Assert.Equal(["publish", "ack 1", "publish", "ack 3", "publish", "ack 4", "commit"], _window.Asked().SkipWhile(asked => asked != "publish"));
        var (id, why) = Assert.Single(sweep.Unsent);
        Assert.Equal(("large", 3), (id, sweep.Committed));
        Assert.Matches(@"^The properties of a message for queue 'orders' take 4\d\d\d bytes, and RabbitMQ takes 4096", why);
    }

    [Fact]
    public async Task One_letter_that_is_too_large_for_the_server_stays_and_the_others_are_sent()
    {
        _committing.SetResult();
        await using var sweep = await TakenAsync(ready: 4, target: "orders");
        await TakeAsync(2, "b", 3);
        _connection.Answer = _ => Task.FromException(new OperationInterruptedException(
            new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.PreconditionFailed, "PRECONDITION_FAILED - message size 5 is larger than configured max size 4")));
        await TakeAsync(3, "large", 5);
        var channels = _connection.Channels.Count;
        await TakeAsync(4, "d", 3);

        await sweep.CommitAsync(default);

        Assert.Equal(["a", "b", "d"], _window.Published.Select(copy => copy.Envelope.MessageId));
        Assert.Equal(["ack 1", "ack 2", "ack 4"], _window.Asked().Where(asked => asked.StartsWith("ack", StringComparison.Ordinal)));
        Assert.Equal([("large", "The server takes no message as large as this one (PRECONDITION_FAILED - message size 5 is larger than configured max size 4). Raise max_message_size in its configuration.")], sweep.Unsent);
        Assert.Equal((3, channels), (sweep.Committed, _connection.Channels.Count));

        async Task TakeAsync(ulong tag, string id, int size)
        {
            await _window.DeliverAsync(tag, id, body: new byte[size]);
            await sweep.TakeAsync((await sweep.NextAsync(default))!, default);
        }
    }

    [Fact]
    public async Task A_server_that_does_not_answer_how_large_a_message_may_be_is_told()
    {
        await using var sweep = await TakenAsync(ready: 2, target: "orders");
        var next = sweep.NextAsync(default);
        await _window.DeliverAsync(2, "b", body: new byte[] { 1 });
        _connection.Answer = _ => _hanging.Task;
        var taking = sweep.TakeAsync((await next)!, default).AsTask();

        _time.Advance(TimeSpan.FromMinutes(1));

        Assert.Contains("60 s", (await Assert.ThrowsAsync<BrokerException>(() => taking.WaitAsync(s_patience))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_letter_that_has_grown_by_what_the_server_noted_is_put_back_with_what_fits()
    {
        _connection.FrameMax = 4096;
        await using var sweep = await TakenAsync(ready: 2, target: "orders");
        var letter = Holding("b", 'x', 3000);
        letter.Headers!["x-death"] = new List<object?> { new string('x', 2000) };
        await _window.DeliverAsync(2, letter, isRedelivered: false);
        await sweep.TakeAsync((await sweep.NextAsync(default))!, default);
        _window.CloseReason = new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.PreconditionFailed, "PRECONDITION_FAILED - partial tx completion");
        _committing.SetException(new IOException("gone"));

        await Assert.ThrowsAsync<BrokerException>(() => sweep.CommitAsync(default).AsTask().WaitAsync(s_patience));

        var back = _connection.Channels[^1].Published;
        Assert.Equal([("orders.dead", "a"), ("orders.dead", "b")], back.Select(copy => (copy.Queue, copy.Envelope.MessageId)));
        Assert.Equal(["holdfast-left-out", "large"], back[1].Envelope.Headers!.Keys.Order());
    }

    [Fact]
    public async Task No_more_is_handed_out_than_is_wanted_nor_anything_in_the_place_of_what_leaves()
    {
        _committing.SetResult();
        await using var sweep = await TakenAsync(ready: 30, most: 1);

        await sweep.CommitAsync(default);

        Assert.Equal(["qos 1", "consume", "cancel", "ack 1", "commit"], _window.Asked());
        Assert.Null(await sweep.NextAsync(default));
        Assert.Equal((30, 1), (sweep.Count, sweep.Committed));
    }

    [Fact]
    public async Task A_classic_queue_is_consumed_on_for_its_crash_is_heard_of_by_no_other_way()
    {
        _connection.Version = "3.13.0";
        _committing.SetResult();
        await using var sweep = await TakenAsync(ready: 30, most: 1, isClassic: true);

        await sweep.CommitAsync(default);

        Assert.Equal(["qos 1", "consume", "ack 1", "commit"], _window.Asked());
    }

    [Fact]
    public async Task For_one_that_can_not_be_sent_another_is_handed_out()
    {
        _committing.SetResult();
        _connection.FrameMax = 4096;
        await using var sweep = Of("orders", most: 1);
        _connection.Ready = 30;
        await sweep.OpenAsync(default);
        var next = sweep.NextAsync(default);
        await _connection.Channels[^1].DeliverAsync(1, Holding("large", 'x', 4096), isRedelivered: false);
        await sweep.TakeAsync((await next)!, default);

        var other = sweep.NextAsync(default);

        Assert.Equal("qos 2", await _connection.Channels[^1].AskedAsync());
        await _connection.Channels[^1].DeliverAsync(1, "b");
        Assert.Equal("b", (await other)!.Message.Id);
        Assert.Null(await sweep.NextAsync(default));
    }

    private static BasicProperties Holding(string id, char letter, int size) => new() { MessageId = id, Headers = new Dictionary<string, object?> { ["large"] = new string(letter, size) } };

    private static void IsInDoubt(BrokerException problem, string whatHasLeft)
    {
        Assert.Contains($"a batch of 1 messages", problem.Message, StringComparison.OrdinalIgnoreCase);
        Assert.Contains($"{whatHasLeft} has left 'orders.dead'", problem.Message, StringComparison.Ordinal);
        Assert.Contains("Look", problem.Message, StringComparison.Ordinal);
    }

    private Sweep Of(string? target, double? rate = null, int? most = null) =>
        new(_connection.Connection, new Questions(s_server, _time), new() { Uri = "amqp://host", TimeProvider = _time }, "orders.dead", target, _ => null, rate, most, problem => Problems.OfSweep(problem, s_server, "orders.dead", obstacle: null));

    private async Task<T[]> LookedAtAsync<T>(byte[][] bodies, Func<byte[], BasicProperties> envelope, Func<QueuedMessage, T> what)
    {
        _connection.Ready = (uint)bodies.Length;
        await using var sweep = Of(target: null);
        await sweep.OpenAsync(default);
        var next = sweep.NextAsync(default).AsTask();
        _window = _connection.Channels[^1];
        var seen = new List<T>();
        foreach (var (index, body) in bodies.Index())
        {
            await _window.DeliverAsync((ulong)index + 1, envelope(body), isRedelivered: false, body);
            seen.Add(what((await next.WaitAsync(s_patience))!));
            if (seen.Count < bodies.Length)
                next = sweep.NextAsync(default).AsTask();
        }

        return [.. seen];
    }

    // The first thing that the window was asked is how many it may have at once.
    private async Task<string> PassOverWindowAsync(Sweep sweep, int size)
    {
        var next = sweep.NextAsync(default);
        _window = _connection.Channels[^1];
        for (var tag = 1; tag <= size; tag++)
            await _window.DeliverAsync((ulong)tag, $"{tag}");
        Assert.NotNull(await next);
        for (var tag = 2; tag <= size; tag++)
            Assert.NotNull(await sweep.NextAsync(default));
        return await _window.AskedAsync();
    }

    // Of a queue that had a message when it began, it waits for that in vain and asks again. The answer comes when the test lets it.
    private async Task<Task<QueuedMessage?>> AskingAsync(Sweep sweep, int ready, int consumers)
    {
        var asked = new TaskCompletionSource();
        _connection.Ready = 1;
        await sweep.OpenAsync(default);
        (_connection.Ready, _connection.Consumers) = ((uint)ready, (uint)consumers);
        _connection.Answer = question =>
        {
            if (question != "look")
                return Task.CompletedTask;
            asked.SetResult();
            return _hanging.Task;
        };
        var next = sweep.NextAsync(default).AsTask();
        _window = _connection.Channels[^1];
        _time.Advance(s_silence);
        await asked.Task.WaitAsync(s_patience);
        return next;
    }

    private async Task<Sweep> TakenAsync(int ready = 1, string? target = null, int? most = null, bool isClassic = false)
    {
        var isAsked = !isClassic;
        _connection.Ready = (uint)ready;
        _connection.Answer = question =>
        {
            if (question != "consume" || isAsked)
                return question == "commit" ? _committing.Task : Task.CompletedTask;
            isAsked = true;
            return Task.FromException(new OperationInterruptedException(new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.PreconditionFailed, "invalid arg 'x-cancel-on-ha-failover': unacceptable_type")));
        };
        var sweep = Of(target, most: most);
        await sweep.OpenAsync(default);
        var next = sweep.NextAsync(default);
        _window = _connection.Channels[^1];
        await _window.DeliverAsync(1, "a");
        await sweep.TakeAsync((await next)!, default);
        return sweep;
    }

    /// <summary>A body that can't be copied.</summary>
    private sealed class NoRoom : MemoryManager<byte>
    {
        public override Span<byte> GetSpan() => throw new InvalidOperationException("No room");

        public override Memory<byte> Memory => CreateMemory(1);

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin() => throw new NotSupportedException();

        protected override void Dispose(bool disposing)
        {
        }
    }
}
