using System.Text.Json;
using Holdfast.Broker;

namespace Holdfast.Tests.Unit.Worker.Commands;

public sealed class DeadTests
{
    private static readonly DateTimeOffset s_noon = new(2026, 1, 2, 12, 0, 0, TimeSpan.Zero);

    [Fact]
    public async Task A_list_shows_a_line_for_each_and_asks_for_no_more_than_it_shows()
    {
        using var call = new Calling { Desk = new() { Letters = [Calling.Letter("a", "Timeout", s_noon), Calling.Letter("b", "Poison", s_noon), Calling.Letter("c")] } };

        Assert.Equal(0, await call.RunAsync("dead", "list", "--limit", "2"));
        Assert.Equal("since                 id                                    reason                    about", call.Output[0]);
        Assert.StartsWith("2026-01-02 12:00:00Z  a                                     Timeout", call.Output[1]);
        Assert.Equal("2 shown; there may be more (--limit).", call.Output[^1]);
        Assert.Equal(2, call.Desk.Asked);
    }

    [Fact]
    public async Task For_what_is_looked_for_all_are_looked_at()
    {
        using var call = new Calling { Desk = new() { Letters = [Calling.Letter("a", "Timeout"), Calling.Letter("b", "Poison")] } };

        await call.RunAsync("dead", "list", "--reason", "poison", "--limit", "1", "--json");

        Assert.Null(call.Desk.Asked);
        Assert.Equal("""{"id":"b","reason":"Poison","priority":0,"properties":{},"size":0}""", Assert.Single(call.Output));
    }

    [Theory]
    [InlineData(50, "dead", "list")]
    [InlineData(10, "peek")]
    public async Task A_list_that_nobody_limited_says_where_it_stops(int usual, params string[] command)
    {
        var told = $"{usual} shown; there may be more (--limit).";
        using var lines = new Calling { Desk = new() { Letters = [.. Letters(60)] } };
        using var json = new Calling { Desk = new() { Letters = [.. Letters(60)] } };
        using var asked = new Calling { Desk = new() { Letters = [.. Letters(60)] } };

        await lines.RunAsync(command);
        await json.RunAsync([.. command, "--json"]);
        await asked.RunAsync([.. command, "--json", "--limit", "20"]);

        Assert.Equal((told, usual), (lines.Output[^1], json.Output.Length));
        Assert.Equal($$"""{"note":"{{told}}"}""", Assert.Single(json.Error));
        Assert.Equal((20, 0), (asked.Output.Length, asked.Error.Length));
    }

    [Fact]
    public async Task One_that_is_not_handed_to_whoever_receives_says_so()
    {
        using var call = new Calling { Desk = new() { Letters = [new() { Message = new() { Id = "a" }, State = QueuedState.Scheduled }, new() { Message = new() { Id = "b" }, State = QueuedState.Deferred, Reason = "Late" }, Calling.Letter("c")] } };

        await call.RunAsync("peek");
        await call.RunAsync("peek", "--json");
        await call.RunAsync("dead", "show", "b");

        Assert.Equal(["scheduled", "Late, deferred", "-"], call.Output[1..4].Select(row => row[60..84].Trim()));
        Assert.Equal(["\"state\":\"scheduled\"", "\"state\":\"deferred\"", ""], call.Output[4..7].Select(line => line.Split(',').FirstOrDefault(field => field.Contains("state", StringComparison.Ordinal)) ?? ""));
        Assert.Contains("state            deferred", call.Output);
    }

    [Fact]
    public async Task One_that_waits_for_its_time_says_for_which()
    {
        using var call = new Calling { Desk = new() { Letters = [new() { Message = new() { Id = "a" }, State = QueuedState.Scheduled, ScheduledFor = s_noon }] } };

        await call.RunAsync("peek");
        await call.RunAsync("peek", "--json");

        Assert.Contains("  scheduled for 2026-01-02 12:00:00Z  ", call.Output[1], StringComparison.Ordinal);
        Assert.Contains("\"state\":\"scheduled\",\"scheduledFor\":\"2026-01-02T12:00:00+00:00\"", call.Output[2], StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_number_that_JSON_does_not_know_hides_no_message()
    {
        using var call = new Calling { Desk = new() { Letters = [Calling.Letter("a", properties: ("ratio", double.NaN)), Calling.Letter("b")] } };

        Assert.Equal(0, await call.RunAsync("dead", "list", "--json"));
        Assert.Equal(2, call.Output.Length);
        Assert.Contains("\"ratio\":\"NaN\"", call.Output[0]);
    }

    [Fact]
    public async Task A_story_tells_everything_and_moves_no_cursor()
    {
        using var call = new Calling { Desk = new() { Letters = [Calling.Letter("a", "Timeout", s_noon, "one\ntwo\u001b[2J", ("stack", "first\nsecond"), ("count", 3))] } };

        Assert.Equal(0, await call.RunAsync("dead", "show", "a"));
        Assert.Equal(
            [
                "id               a",
                "reason           Timeout",
                "put aside        2026-01-02 12:00:00Z",
                "priority         0",
                "  count = 3",
                "  stack = first",
                "  stack = second",
                "body             11 bytes",
                "  one",
                "  two\\u001b[2J",
            ], call.Output);
    }

    [Theory]
    [InlineData("""[{"at":"2026-01-02T12:00:00Z","delivery":1,"attempts":3,"exception":"System.TimeoutException","message":"late\nagain","worker":"one","trace":"0af7651916cd43dd8448eb211c80319c"},{"delivery":2}]""", "2026-01-02T12:00:00Z  delivery 1, attempts 3, on one, trace 0af7651916cd43dd8448eb211c80319c: System.TimeoutException: late again", "?  delivery 2, attempts ?, on ?: ?: ?")]
    [InlineData("[broken", "[broken")]
    [InlineData("{}", "{}")]
    public async Task Failed_deliveries_are_shown_a_line_each_and_as_they_stand_where_they_can_not_be_read(string json, params string[] lines)
    {
        using var call = new Calling { Desk = new() { Letters = [Calling.Letter("a", properties: ("holdfast-failures", json))] } };

        await call.RunAsync("dead", "show", "a");

        Assert.Equal(lines.Select(line => $"  holdfast-failures = {line}"), call.Output.Where(line => line.Contains("holdfast-failures", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task How_a_body_is_packed_is_shown_beside_what_it_is()
    {
        var letter = new Broker.QueuedMessage { Message = new() { Id = "a", ContentType = "application/json", ContentEncoding = "gzip" } };
        using var call = new Calling { Desk = new() { Letters = [letter] } };

        await call.RunAsync("dead", "show", "a");
        await call.RunAsync("dead", "list", "--json");

        Assert.Equal(["content type     application/json", "content encoding gzip"], call.Output.Where(line => line.StartsWith("content", StringComparison.Ordinal)));
        Assert.Equal("""{"id":"a","priority":0,"contentType":"application/json","contentEncoding":"gzip","properties":{},"size":0}""", call.Output[^1]);
    }

    [Fact]
    public async Task Of_a_body_that_is_no_text_the_bytes_are_shown()
    {
        var letter = new Broker.QueuedMessage { Message = new() { Id = "a", Body = new byte[] { 0xff, 0x00 } } };
        using var call = new Calling { Desk = new() { Letters = [letter] } };

        await call.RunAsync("dead", "show", "a");
        Assert.Equal("  ff00", call.Output[^1]);
        await call.RunAsync("dead", "show", "a", "--json");
        Assert.Equal("/wA=", JsonDocument.Parse(call.Output[^1]).RootElement.GetProperty("bodyBase64").GetString());
    }

    [Theory]
    [InlineData(64 * 1024, false)]
    [InlineData((64 * 1024) + 1, true)]
    public async Task A_script_is_told_where_it_has_not_all_of_a_body_and_only_there(int size, bool isCut)
    {
        var letter = new QueuedMessage { Message = new() { Id = "a", Body = Enumerable.Repeat((byte)0xff, size).ToArray() } };
        using var call = new Calling { Desk = new() { Letters = [letter] } };

        await call.RunAsync("dead", "show", "a", "--json");

        using var shown = JsonDocument.Parse(Assert.Single(call.Output));
        Assert.Equal(64 * 1024, shown.RootElement.GetProperty("bodyBase64").GetBytesFromBase64().Length);
        Assert.Equal(isCut, shown.RootElement.TryGetProperty("bodyIsCut", out var told) && told.GetBoolean());
    }

    [Theory]
    [InlineData(79, "list")]
    [InlineData(1_999, "show", "a")]
    public async Task A_long_text_is_cut_between_two_letters(int most, params string[] command)
    {
        var shown = new string('x', most);
        using var call = new Calling { Desk = new() { Letters = [Calling.Letter("a", body: $"{shown}😀 and more")] } };

        await call.RunAsync(["dead", .. command]);

        Assert.Contains(call.Output, line => line.EndsWith($" {shown}...", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_text_that_is_shown_to_its_end_has_no_more_however_many_bytes_it_is()
    {
        using var call = new Calling { Desk = new() { Letters = [Calling.Letter("a", body: new string('ü', 1_500))] } };

        await call.RunAsync("dead", "show", "a");

        Assert.Equal($"  {new string('ü', 1_500)}", call.Output[^1]);
    }

    [Fact]
    public async Task One_that_is_not_there_is_no_success()
    {
        using var call = new Calling();

        Assert.Equal(1, await call.RunAsync("dead", "show", "a"));
        Assert.Equal("'a' is not among the dead letters of 'orders'; see dead list.", Assert.Single(call.Error));
    }

    [Theory]
    [InlineData("There are no dead letters of 'orders'.", "dead", "list")]
    [InlineData("There are no such dead letters of 'orders'.", "dead", "list", "--id", "a")]
    [InlineData("'a' is not among the dead letters of 'orders'; see dead list.", "dead", "show", "a")]
    [InlineData("Nothing waits in 'orders'.", "peek")]
    [InlineData("Would send 0 of 0 dead letters seen to 'orders'.", "dead", "replay", "--dry-run")]
    [InlineData("Removed 0 of 0 dead letters seen.", "dead", "purge", "--yes")]
    public async Task Where_nothing_is_found_what_others_hold_is_not_denied(string told, params string[] command)
    {
        const string Unseen = " What a worker or another command holds just now can't be seen.";
        foreach (var seesHeld in (bool[])[true, false])
        {
            using var call = new Calling { Desk = new() { SeesHeld = seesHeld } };

            await call.RunAsync(command);

            Assert.Equal(told + (seesHeld ? "" : Unseen), Assert.Single((string[])[.. call.Output, .. call.Error]));
        }
    }

    [Theory]
    [InlineData("Sent 2 of 2 dead letters seen to 'orders'. Deferred, and so left there: 3; a message like that is given to nobody but who has its number.")]
    [InlineData("""{"queue":"orders","target":"orders","seen":2,"matched":2,"done":2,"isDryRun":false,"deferred":3}""", "--json")]
    public async Task What_is_deferred_is_told_and_not_missed(string told, params string[] more)
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(2)], Deferred = 3 } };

        Assert.Equal(0, await call.RunAsync(["dead", "replay", "--yes", .. more]));
        Assert.Equal(told, Assert.Single(call.Output));
    }

    [Theory]
    [InlineData("Sent 2 of 2 dead letters seen to 'orders'. Scheduled, and so left there: 3; a message like that is given to nobody before its time.")]
    [InlineData("""{"queue":"orders","target":"orders","seen":2,"matched":2,"done":2,"isDryRun":false,"scheduled":3}""", "--json")]
    public async Task What_is_scheduled_is_told_and_not_missed(string told, params string[] more)
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(2)], Scheduled = 3 } };

        Assert.Equal(0, await call.RunAsync(["dead", "replay", "--yes", .. more]));
        Assert.Equal(told, Assert.Single(call.Output));
    }

    [Fact]
    public async Task Nor_would_it_be_taken()
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(2), new() { Message = new() { Id = "c" }, State = QueuedState.Deferred }, new() { Message = new() { Id = "d" }, State = QueuedState.Scheduled }] } };

        Assert.Equal(0, await call.RunAsync("dead", "purge", "--dry-run", "--json"));
        Assert.EndsWith("\"seen\":2,\"matched\":2,\"done\":0,\"isDryRun\":true,\"deferred\":1,\"scheduled\":1}", Assert.Single(call.Output), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_dry_run_counts_what_the_real_one_would_take_however_many_are_deferred_before_it()
    {
        var deferred = Enumerable.Range(0, 3).Select(n => new QueuedMessage { Message = new() { Id = $"deferred {n}" }, State = QueuedState.Deferred });
        using var call = new Calling { Desk = new() { Letters = [.. deferred, .. Letters(10)] } };

        Assert.Equal(0, await call.RunAsync("dead", "purge", "--limit", "5", "--dry-run", "--json"));
        Assert.EndsWith("\"seen\":5,\"matched\":5,\"done\":0,\"isDryRun\":true,\"deferred\":3}", Assert.Single(call.Output), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_was_there_and_did_not_come_is_told_and_is_no_success()
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(2)], Held = 3 } };

        Assert.Equal(1, await call.RunAsync("dead", "replay", "--yes"));
        Assert.Equal("Sent 2 of 2 dead letters seen to 'orders'.", Assert.Single(call.Output));
        Assert.Equal("3 more were there and did not come: others have taken them, or hold them until their locks end, or the broker is slow. Call it again for the rest.", Assert.Single(call.Error));
    }

    [Fact]
    public async Task A_replay_takes_what_is_meant_and_no_more_than_the_limit()
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(10)] } };

        Assert.Equal(0, await call.RunAsync("dead", "replay", "--reason", "Even", "--limit", "3", "--yes", "--json"));
        Assert.Equal("""{"queue":"orders","target":"orders","seen":5,"matched":3,"done":3,"isDryRun":false}""", Assert.Single(call.Output));
        Assert.Equal("orders", call.Desk.Target);
    }

    [Theory]
    [InlineData(3)]
    [InlineData(null, "--reason", "Even")]
    public async Task No_more_is_asked_for_than_is_taken_where_all_are_meant(int? asked, params string[] filter)
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(10)] } };

        Assert.Equal(0, await call.RunAsync(["dead", "replay", "--limit", "3", "--yes", .. filter]));
        Assert.Equal(asked, call.Desk.Asked);
    }

    [Theory]
    [InlineData(null, false, null)]
    [InlineData("customer", false, "7")]
    [InlineData("CUSTOMER", false, null)]
    [InlineData("customer", true, "all")]
    [InlineData(null, true, "all")]
    public async Task A_replay_keeps_the_order_within_a_key_of_the_queue_and_on_request_that_of_all(string? orderBy, bool isInOrder, string? key)
    {
        using var call = new Calling();
        call.Settings["Worker:OrderBy"] = orderBy;

        Assert.Equal(0, await call.RunAsync(["dead", "replay", "--yes", .. isInOrder ? (string[])["--in-order"] : []]));
        Assert.Equal(key, call.Desk.KeyOf!(Calling.Letter("a", properties: ("customer", 7)).Message));
    }

    [Fact]
    public async Task A_dry_run_takes_nothing_and_needs_no_yes()
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(10)] } };

        Assert.Equal(0, await call.RunAsync("dead", "purge", "--reason", "Even", "--dry-run"));
        Assert.Equal("Would remove 5 of 10 dead letters seen.", Assert.Single(call.Output));
        Assert.Empty(call.Desk.Commits);
    }

    [Theory]
    [InlineData()]
    [InlineData("--dry-run")]
    public async Task A_target_that_nothing_can_be_sent_to_is_told_before_anything_is_asked_or_looked_at(params string[] more)
    {
        using var call = new Calling
        {
            Desk = new() { Letters = [.. Letters(4)], NoTarget = "orders" },
            Ask = (question, _) => throw new InvalidOperationException(question),
        };

        Assert.Equal(1, await call.RunAsync(["dead", "replay", "--limit", "2", .. more]));
        Assert.Equal("Nothing can be sent there.", Assert.Single(call.Error));
        Assert.Empty(call.Output);
        Assert.Null(call.Desk.Asked);
    }

    [Fact]
    public async Task Another_target_may_be_sent_to_and_a_purge_needs_none()
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(4)], NoTarget = "orders" } };

        Assert.Equal(0, await call.RunAsync("dead", "replay", "--to", "events", "--dry-run"));
        Assert.Equal(0, await call.RunAsync("dead", "purge", "--dry-run"));
        Assert.Equal(["Would send 4 of 4 dead letters seen to 'events'.", "Would remove 4 of 4 dead letters seen."], call.Output);
    }

    [Theory]
    [InlineData("list")]
    [InlineData("show", "1")]
    [InlineData("replay", "--yes")]
    [InlineData("replay", "--dry-run")]
    [InlineData("purge", "--yes")]
    public async Task Dead_letters_may_lie_in_a_queue_of_another_name(params string[] command)
    {
        using var usual = new Calling { Desk = new() { Letters = [.. Letters(4)] } };
        using var other = new Calling { Desk = new() { Letters = [.. Letters(4)] } };

        Assert.Equal(0, await usual.RunAsync(["dead", .. command]));
        Assert.Equal(0, await other.RunAsync(["dead", .. command, "--from", "orders-dlq"]));
        Assert.Equal(("orders/dead", "orders-dlq"), (usual.Desk.Place, other.Desk.Place));
    }

    [Theory]
    [InlineData("Send all messages in 'failed' to 'orders'?", "replay", "--queue", "orders")]
    [InlineData("Remove all such messages in 'failed' for good?", "purge", "--reason", "Odd")]
    public async Task A_queue_that_a_person_named_may_hold_anything_and_is_called_by_its_name(string question, params string[] command)
    {
        var asked = new List<string>();
        using var call = new Calling
        {
            Ask = (text, _) =>
            {
                asked.Add(text);
                return Task.FromResult(true);
            },
        };
        call.Settings["Worker:Queues:orders:Handler"] = "Demo";
        call.Settings["Worker:Queues:refunds:Handler"] = "Demo";

        Assert.Equal(0, await call.RunAsync(["dead", .. command, "--from", "failed"]));
        Assert.Equal(question, Assert.Single(asked));
        Assert.Equal(0, await call.RunAsync(["dead", .. command, "--from", "failed", "--json", "--yes"]));
        Assert.StartsWith("""{"queue":"failed",""", call.Output[^1]);
        Assert.Equal(1, await call.RunAsync("dead", "show", "a", "--from", "failed"));
        Assert.Equal("'a' is not among the messages in 'failed'; see dead list.", call.Error[^1]);
    }

    [Theory]
    [InlineData("--from", "orders")]
    [InlineData("--from", "failed", "--to", "failed")]
    [InlineData("--to", "orders/dead", "--dry-run")]
    public async Task Nothing_is_sent_to_where_it_lies(params string[] arguments)
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(4)] } };

        Assert.Equal(2, await call.RunAsync(["dead", "replay", "--yes", .. arguments]));
        Assert.EndsWith("already; name another queue by --to.", Assert.Single(call.Error));
        Assert.Null(call.Desk.Place);
    }

    [Theory]
    [InlineData(true, 0, 4)]
    [InlineData(false, 1, 0)]
    public async Task A_person_is_asked_before(bool answer, int code, long done)
    {
        string? asked = null;
        using var call = new Calling
        {
            Desk = new() { Letters = [.. Letters(4)] },
            Ask = (question, _) =>
            {
                asked = question;
                return Task.FromResult(answer);
            },
        };

        Assert.Equal(code, await call.RunAsync("dead", "replay", "--to", "again"));
        Assert.Equal("Send all dead letters of 'orders' to 'again'?", asked);
        Assert.Equal(done, call.Desk.Committed);
    }

    [Theory]
    [InlineData()]
    [InlineData("--json")]
    public async Task Where_nobody_can_be_asked_nothing_is_done(params string[] arguments)
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(4)] } };

        Assert.Equal(2, await call.RunAsync(["dead", "purge", .. arguments]));
        Assert.Contains("--yes", Assert.Single(call.Error));
        Assert.Empty(call.Desk.Commits);
    }

    [Theory]
    [InlineData("--id")]
    [InlineData("--reason")]
    [InlineData("--older-than")]
    [InlineData("--younger-than")]
    [InlineData("--property")]
    public async Task A_filter_that_has_lost_its_value_does_not_mean_everything(string filter)
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(4)] } };

        Assert.Equal(2, await call.RunAsync("dead", "purge", "--yes", filter));
        Assert.Contains($"'{filter}'", Assert.Single(call.Error));
        Assert.Empty(call.Desk.Commits);
    }

    [Theory]
    [InlineData("Sent 4 of 4 dead letters seen to 'orders'. Standard output can't be written: No space left on device", "replay")]
    [InlineData("Removed 4 of 4 dead letters seen. Standard output can't be written: No space left on device", "purge")]
    public async Task What_was_done_and_can_not_be_told_is_told_as_an_error_and_is_none(string told, string command)
    {
        using var call = new Calling { IsOutputFull = true, Desk = new() { Letters = [.. Letters(4)] } };

        Assert.Equal(0, await call.RunAsync("dead", command, "--yes"));
        Assert.Equal(told, Assert.Single(call.Error));
        Assert.Equal(4, call.Desk.Committed);
    }

    [Fact]
    public async Task What_was_done_before_it_failed_is_told()
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(25)], BreaksAt = 21 } };

        Assert.Equal(1, await call.RunAsync("dead", "replay", "--yes", "--rate", "1000000000"));
        Assert.Equal("Sent 0 of 21 dead letters seen to 'orders'.", Assert.Single(call.Output));
        Assert.Equal("The broker is gone. Call it again for the rest.", Assert.Single(call.Error));
    }

    [Theory]
    [InlineData(1, "1 can't be sent as they are, and stayed where they were: '0': It is too large.")]
    [InlineData(6, "6 can't be sent as they are, and stayed where they were: '0': It is too large. '1': It is too large. '2': It is too large. '3': It is too large. '4': It is too large. And 1 more.")]
    public async Task What_can_not_be_sent_again_is_named_and_the_rest_is_sent(int unfit, string told)
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(10)], Unfit = [.. Enumerable.Range(0, unfit).Select(n => $"{n}")] } };

        Assert.Equal(1, await call.RunAsync("dead", "replay", "--yes"));
        Assert.Equal($"Sent {10 - unfit} of 10 dead letters seen to 'orders'.", Assert.Single(call.Output));
        Assert.Equal(told, Assert.Single(call.Error));
    }

    [Fact]
    public async Task What_can_not_be_sent_stands_in_no_other_s_place()
    {
        using var call = new Calling { Desk = new() { Letters = [.. Letters(10)], Unfit = ["0", "2"] } };

        Assert.Equal(1, await call.RunAsync("dead", "replay", "--yes", "--limit", "3"));
        Assert.Equal("Sent 3 of 5 dead letters seen to 'orders'.", Assert.Single(call.Output));
        Assert.StartsWith("2 can't be sent as they are", Assert.Single(call.Error));
    }

    private static IEnumerable<Broker.QueuedMessage> Letters(int count) =>
        Enumerable.Range(0, count).Select(n => Calling.Letter($"{n}", n % 2 == 0 ? "Even" : "Odd"));
}
