using System.Diagnostics;
using System.Text.Json;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration.Commands;

/// <summary>The commands on RabbitMQ, through the program itself.</summary>
public sealed class RabbitMqTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public RabbitMqTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    public static TheoryData<QueueType> Types => [QueueType.Quorum, QueueType.Classic];

    [Fact]
    public async Task Each_line_that_is_piped_in_becomes_a_message_which_can_be_looked_at_and_stays()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        using var process = HoldfastCommand.Start(pile.Settings, "send", "--lines", "--id", "n", "--property", "customer=7", "--content-type", "text/plain", "--json");
        await process.StandardInput.WriteAsync("one\ntwo\n\nthree");
        process.StandardInput.Close();
        var (code, output, _) = await HoldfastCommand.EndAsync(process);

        Assert.Equal(0, code);
        Assert.Equal($$"""{"queue":"{{pile.Queue}}","id":"n","sent":4,"inDoubt":0,"refused":0,"unsent":0}""", Assert.Single(output));

        for (var look = 0; look < 2; look++)
        {
            var (_, shown, _) = await HoldfastCommand.RunAsync(pile.Settings, "peek", "--json");
            Assert.Equal(["one", "two", "", "three"], shown.Select(line => Field(line, "body")));
            Assert.Equal(["n-1", "n-2", "n-3", "n-4"], shown.Select(line => Field(line, "id")));
            Assert.All(shown, line => Assert.Equal("7", JsonDocument.Parse(line).RootElement.GetProperty("properties").GetProperty("customer").GetString()));
        }
    }

    [Fact]
    public async Task Who_waits_for_a_pipe_that_brings_no_more_ends_when_told_to_and_says_what_arrived()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Classic);
        using var process = HoldfastCommand.Start(pile.Settings, "send", "--lines", "--id", "n", "--json");
        await process.StandardInput.WriteAsync("one\n");
        await process.StandardInput.FlushAsync();
        await pile.HasAsync(pile.Queue, 1);

        using (var kill = Process.Start("kill", ["-TERM", $"{process.Id}"]))
            await kill.WaitForExitAsync();
        var (code, output, error) = await HoldfastCommand.EndAsync(process);

        Assert.Equal(1, code);
        Assert.Equal($$"""{"queue":"{{pile.Queue}}","id":"n","sent":1,"inDoubt":0,"refused":0,"unsent":0}""", Assert.Single(output));
        Assert.Equal("""{"error":"It was interrupted."}""", Assert.Single(error));
    }

    [Theory]
    [MemberData(nameof(Types))]
    public async Task What_is_replayed_comes_as_if_it_were_new_and_what_is_not_meant_stays_in_its_order(QueueType type)
    {
        await using var pile = await Pile.MakeAsync(_vhost, type);
        await pile.FillAsync(5_000);

        var (code, output, error) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "replay", "--reason", "even", "--yes", "--json");

        Assert.Empty(error);
        Assert.Equal(0, code);
        Assert.Equal($$"""{"queue":"{{pile.Queue}}","target":"{{pile.Queue}}","seen":5000,"matched":2500,"done":2500,"isDryRun":false}""", Assert.Single(output));
        await pile.HasAsync(pile.Queue, 2_500);
        var sent = await pile.TakeAllAsync(pile.Queue);
        Assert.Equal(Enumerable.Range(0, 2_500).Select(n => 2 * n), sent.Select(message => int.Parse(message.Envelope.MessageId!)).Order());

        // The server's own notes tell of the way that the copy took, and of no death before.
        Assert.Equal(
            ["customer", "holdfast-replayed-at", "holdfast-replays", "line", "timestamp_in_ms", "x-death", "x-first-death-exchange", "x-first-death-queue", "x-first-death-reason"],
            sent[0].Envelope.Headers!.Keys.Order());
        Assert.Equal("order", sent[0].Envelope.Type);
        Assert.All(sent, message => Assert.Equal($"body {message.Envelope.MessageId}", message.Body));

        // A quorum queue has back what was held in an order of its own.
        var left = (await pile.TakeAllAsync(pile.Dead)).Select(message => int.Parse(message.Envelope.MessageId!));
        Assert.Equal(Enumerable.Range(0, 2_500).Select(n => (2 * n) + 1), type == QueueType.Quorum ? left.Order() : left);
    }

    [Theory]
    [MemberData(nameof(Types))]
    public async Task Messages_of_one_key_keep_their_order_in_a_replay(QueueType type)
    {
        await using var pile = await Pile.MakeAsync(_vhost, type);
        await pile.FillAsync(5_000);

        var sent = await ReplayAsync(pile, [.. pile.Settings, ("Worker__OrderBy", "line")]);

        Assert.Equal(Enumerable.Range(0, 5_000), sent.Order());
        Pile.AreInLine(sent);
    }

    [Theory]
    [MemberData(nameof(Types))]
    public async Task On_request_all_keep_their_order_in_a_replay(QueueType type)
    {
        await using var pile = await Pile.MakeAsync(_vhost, type);
        await pile.FillAsync(5_000);

        Assert.Equal(Enumerable.Range(0, 5_000), await ReplayAsync(pile, pile.Settings, "--in-order"));
    }

    [Fact]
    public async Task A_list_a_story_and_a_dry_run_change_nothing_and_a_purge_takes_what_is_meant()
    {
        // What a command has looked at the server has back some time after its end.
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        await pile.FillAsync(10);

        var (_, listed, _) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "list", "--reason", "Odd", "--limit", "2", "--json");
        Assert.Equal(["1", "3"], listed.Select(line => Field(line, "id")));
        await pile.HasAsync(pile.Dead, 10);
        var (_, shown, _) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "show", "4");
        Assert.Contains("reason           Even", shown);
        Assert.Contains("  customer = 7", shown);
        Assert.Contains("  body 4", shown);
        await pile.HasAsync(pile.Dead, 10);
        var (_, dry, _) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "purge", "--property", "customer=7", "--limit", "3", "--dry-run");
        Assert.Equal(["Would remove 3 of 3 dead letters seen."], dry);
        await pile.HasAsync(pile.Dead, 10);
        var (refused, _, why) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "purge");
        Assert.Equal((2, "There is nobody to ask whether to go on; give --yes, or --dry-run to see what it would do."), (refused, Assert.Single(why)));

        var (code, purged, _) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "purge", "--id", "3", "--id", "8", "--yes");

        Assert.Equal((0, "Removed 2 of 10 dead letters seen."), (code, Assert.Single(purged)));
        Assert.Equal(["0", "1", "2", "4", "5", "6", "7", "9"], (await pile.TakeAllAsync(pile.Dead)).Select(message => message.Envelope.MessageId!).Order());
    }

    [Fact]
    public async Task What_others_put_aside_under_a_name_of_their_own_is_replayed_from_there()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        await pile.FillAsync(10);

        var (code, told, _) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "replay", "--queue", "nowhere", "--from", pile.Dead, "--to", pile.Queue, "--yes");

        Assert.Equal((0, $"Sent 10 of 10 dead letters seen to '{pile.Queue}'."), (code, Assert.Single(told)));
        await pile.HasAsync(pile.Queue, 10);
    }

    [Fact]
    public async Task What_is_replayed_one_by_one_costs_the_others_no_delivery()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        await _vhost.Server.Management.PutPolicyAsync(_vhost.Name, "few", $"^{pile.Dead}$", new Dictionary<string, object> { ["delivery-limit"] = 1 });
        await pile.FillAsync(30);

        for (var call = 0; call < 4; call++)
            Assert.Equal(0, (await HoldfastCommand.RunAsync(pile.Settings, "dead", "replay", "--limit", "1", "--yes")).Code);

        await pile.HasAsync(pile.Queue, 4);
        var left = await pile.TakeAllAsync(pile.Dead);
        Assert.Equal(Enumerable.Range(4, 26).Select(n => $"{n}"), left.Select(message => message.Envelope.MessageId));
        Assert.DoesNotContain(left, message => message.Envelope.Headers!.ContainsKey("x-delivery-count"));
    }

    [Fact]
    public async Task A_dead_letter_bears_one_look_more_than_its_delivery_limit()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        await _vhost.Server.Management.PutPolicyAsync(_vhost.Name, "few", $"^{pile.Dead}$", new Dictionary<string, object>
        {
            ["delivery-limit"] = 1,
            ["dead-letter-exchange"] = "",
            ["dead-letter-routing-key"] = pile.Queue,
        });
        await pile.FillAsync(1);

        await LookAsync();
        await pile.HasAsync(pile.Dead, 1);
        await LookAsync();
        await pile.HasAsync(pile.Queue, 1);

        async Task LookAsync() => Assert.Single((await HoldfastCommand.RunAsync(pile.Settings, "dead", "list", "--json")).Output);
    }

    [Fact]
    public async Task Where_the_way_there_is_closed_nothing_is_lost_of_what_is_replayed()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        await pile.FillAsync(50);
        await _vhost.LimitAsync($"{pile.Queue}.replay.track.1", 0);

        var (code, _, error) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "replay", "--yes");

        Assert.Equal(1, code);
        Assert.Contains("refused part of a batch", Assert.Single(error));
        var left = await pile.TakeAllAsync(pile.Dead);
        Assert.Equal(Enumerable.Range(0, 50).Select(n => $"{n}"), left.Select(message => message.Envelope.MessageId));
    }

    [Theory]
    [MemberData(nameof(Types))]
    public async Task One_letter_that_can_not_be_sent_again_stays_and_all_others_are_replayed(QueueType type)
    {
        byte[] strange = [.. Enumerable.Repeat((byte)0xFF, 255)];
        await using var pile = await Pile.MakeAsync(_vhost, type);
        await using (var connection = await _vhost.ConnectAsync())
        await using (var channel = await connection.CreateChannelAsync())
        {
            await channel.BasicPublishAsync("", pile.Dead, mandatory: true, new RawEnvelope(strange, RawEnvelope.Text(1)), new byte[] { 1 });
            await channel.BasicPublishAsync("", pile.Dead, mandatory: true, RawEnvelope.Named(strange), new byte[] { 1 });
            await channel.QueueDeclarePassiveAsync(pile.Dead);
        }

        await pile.FillAsync(600);

        var (code, output, error) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "replay", "--yes");

        Assert.Equal((1, $"Sent 601 of 602 dead letters seen to '{pile.Queue}'."), (code, Assert.Single(output)));
        Assert.StartsWith("1 can't be sent as they are, and stayed where they were: 'unnamed-", Assert.Single(error));
        await pile.HasAsync(pile.Queue, 601);
        await pile.HasAsync(pile.Dead, 1);
    }

    [Theory]
    [MemberData(nameof(Types))]
    public async Task What_an_earlier_version_left_on_its_way_comes_beside_what_is_replayed(QueueType type)
    {
        await using var pile = await Pile.MakeAsync(_vhost, type);
        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        var (first, last) = ($"{pile.Queue}.replay", $"{pile.Queue}.replay.sure");
        await channel.QueueDeclareAsync(last, durable: true, exclusive: false, autoDelete: false, QueueArguments.OfWait(pile.Queue, TimeSpan.Zero, QueueType.Quorum));
        await channel.QueueDeclareAsync(first, durable: true, exclusive: false, autoDelete: false, QueueArguments.OfWait(last, TimeSpan.Zero, QueueType.Classic));
        await pile.FillAsync(50);
        await channel.BasicPublishAsync("", first, mandatory: true, new BasicProperties { MessageId = "50", Persistent = true }, ReadOnlyMemory<byte>.Empty);

        var (code, output, error) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "replay", "--yes");

        Assert.True(code == 0, string.Join('\n', [.. output, .. error]));
        await pile.HasAsync(pile.Queue, 51);
        Assert.Equal(Enumerable.Range(0, 51), (await pile.TakeAllAsync(pile.Queue)).Select(message => int.Parse(message.Envelope.MessageId!)).Order());
    }

    [Fact]
    public async Task Where_one_of_the_ways_there_is_gone_only_what_went_by_it_comes_back()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Classic);
        await pile.FillAsync(50);
        await using var desk = new RabbitMqDesk(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
        await using (var sweep = await desk.SweepAsync(pile.Dead, pile.Queue, _ => null, rate: null, most: null, TestContext.Current.CancellationToken))
        {
            while (await sweep.NextAsync(TestContext.Current.CancellationToken) is { } message)
                await sweep.TakeAsync(message, TestContext.Current.CancellationToken);
            await pile.DeleteAsync($"{pile.Queue}.replay.track.2");

            var problem = await Assert.ThrowsAsync<BrokerException>(async () => await sweep.CommitAsync(TestContext.Current.CancellationToken));

            Assert.Contains($"The queue '{pile.Queue}.replay.track.2', by which they go to '{pile.Queue}', is gone.", problem.Message, StringComparison.Ordinal);
            Assert.InRange(sweep.Committed, 1, 49);
            await pile.HasAsync(pile.Queue, (int)sweep.Committed);
        }

        var (sent, left) = (await pile.TakeAllAsync(pile.Queue), await pile.TakeAllAsync(pile.Dead));
        Assert.Equal(Enumerable.Range(0, 50), sent.Concat(left).Select(message => int.Parse(message.Envelope.MessageId!)).Order());
    }

    [Fact]
    public async Task A_sweep_hands_out_what_was_there_when_it_began_and_leaves_what_died_since()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Classic);
        await pile.FillAsync(50);
        await using var desk = new RabbitMqDesk(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
        await using (var sweep = await desk.SweepAsync(pile.Dead, target: null, _ => null, rate: null, most: null, TestContext.Current.CancellationToken))
        {
            await pile.FillAsync(20);
            while (await sweep.NextAsync(TestContext.Current.CancellationToken) is { } message)
                await sweep.TakeAsync(message, TestContext.Current.CancellationToken);
            await sweep.CommitAsync(TestContext.Current.CancellationToken);
            Assert.Equal((50, 50), (sweep.Count, sweep.Committed));
        }

        await pile.HasAsync(pile.Dead, 20);
    }

    [Fact]
    public async Task A_check_finds_everything_in_order_where_it_is()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);

        var (code, output, _) = await HoldfastCommand.RunAsync([.. pile.Settings, ("Worker__RabbitMq__ManagementUri", _vhost.Server.ManagementUri)], "check");

        Assert.True(code == 0, string.Join('\n', output));
        Assert.DoesNotContain(output, line => line.StartsWith("error", StringComparison.Ordinal));
        Assert.Contains(output, line => line.Contains("may receive from", StringComparison.Ordinal));
        Assert.Contains(output, line => line.StartsWith("warning  What the server itself gives up is lost", StringComparison.Ordinal));
        Assert.Equal((0u, 0u), (await pile.CountAsync(pile.Queue), await pile.CountAsync(pile.Dead)));
    }

    [Fact]
    public async Task A_check_that_can_not_see_the_clock_says_so()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);

        var (code, output, _) = await HoldfastCommand.RunAsync(pile.Settings, "check");

        Assert.True(code == 0, string.Join('\n', output));
        Assert.Single(output, line => line.StartsWith("warning ", StringComparison.Ordinal) && line.Contains("clock", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_management_API_on_this_machine_is_reached_without_the_proxy_that_is_set_for_others()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);

        var (code, output, _) = await HoldfastCommand.RunAsync([.. pile.Settings, ("Worker__RabbitMq__ManagementUri", _vhost.Server.ManagementUri), ("HTTP_PROXY", "http://127.0.0.1:9")], "check");

        Assert.True(code == 0, string.Join('\n', output));
        Assert.Single(output, line => line.Contains("The server's clock agrees with ours.", StringComparison.Ordinal));
    }

    [Fact]
    public async Task What_is_surely_refused_is_not_told_as_unknown()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);

        foreach (var options in new string[][] { ["--session", "s"], ["--time-to-live", "1m", "--delay", "1s"] })
        {
            var (code, output, error) = await HoldfastCommand.RunAsync(pile.Settings, ["send", "--body", "x", "--id", "a", "--json", .. options]);
            Assert.Equal(1, code);
            Assert.Single(error);
            Assert.Equal($$"""{"queue":"{{pile.Queue}}","id":"a","sent":0,"inDoubt":0,"refused":1,"unsent":0}""", Assert.Single(output));
        }
    }

    [Fact]
    public async Task A_user_with_the_permissions_that_the_documents_name_is_enough_and_a_check_sees_what_is_missing()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        var (queue, user) = (pile.Queue, $"worker-{Guid.NewGuid():N}");
        var uri = new UriBuilder(_vhost.Uri) { UserName = user, Password = "secret" }.Uri.AbsoluteUri;
        (string, string)[] settings = [("Worker__Broker", "RabbitMq"), ("Worker__Handler", "Demo"), ("ConnectionStrings__RabbitMq", uri), ("Worker__Queue", queue)];
        try
        {
            await _vhost.Server.Management.PutUserAsync(_vhost.Name, user, "secret", $@"^{queue}\.wait\..*$", @"^amq\.default$", $@"^{queue}(\.wait\..*)?$");
            var (code, output, _) = await HoldfastCommand.RunAsync(settings, "check");
            Assert.True(code == 0, string.Join('\n', output));
            Assert.Contains(output, line => line.StartsWith($"warning  User '{user}' may not receive from '{queue}.dead'", StringComparison.Ordinal));
            Assert.Contains(output, line => line.StartsWith("warning  Dead letters can't be sent again (dead replay), for the queues by which they go can't be declared", StringComparison.Ordinal));
            Assert.Equal(0, (await HoldfastCommand.RunAsync(settings, "send", "--body", "x", "--delay", "1s")).Code);

            await _vhost.Server.Management.PutUserAsync(_vhost.Name, user, "secret", $@"^{queue}\.(wait|replay)\..*$", @"^amq\.default$", $@"^{queue}(\.dead|\.(wait|replay)\..*)?$");
            Assert.DoesNotContain((await HoldfastCommand.RunAsync(settings, "check")).Output, line => line.Contains("dead replay", StringComparison.Ordinal));
            Assert.Equal(0, (await HoldfastCommand.RunAsync(settings, "dead", "replay", "--yes")).Code);

            await _vhost.Server.Management.PutUserAsync(_vhost.Name, user, "secret", $@"^{queue}\.wait\..*$", @"^amq\.default$", $"^{queue}$");
            (code, output, _) = await HoldfastCommand.RunAsync(settings, "check");
            Assert.Equal(1, code);
            Assert.Contains(output, line => line.StartsWith("error    Retries can't be delayed, for wait queues can't be declared", StringComparison.Ordinal));
        }
        finally
        {
            await _vhost.Server.Management.DeleteUserAsync(user);
        }
    }

    [Theory]
    [InlineData("^QUEUE", "^QUEUE", "^amq.default$", null)]
    [InlineData("^nothing$", "^QUEUE", "^amq.default$", "access to queue 'QUEUE'")]
    [InlineData("^QUEUE", "^nothing$", "^amq.default$", "access to queue 'QUEUE'")]
    [InlineData("^QUEUE", "^QUEUE", "^nothing$", "access to exchange")]
    public async Task A_check_tells_whether_a_queue_that_is_missing_may_be_declared_and_declares_nothing(string configure, string read, string write, string? refusal)
    {
        var (queue, user) = (_vhost.NewQueue(), $"worker-{Guid.NewGuid():N}");
        var uri = new UriBuilder(_vhost.Uri) { UserName = user, Password = "secret" }.Uri.AbsoluteUri;
        try
        {
            await _vhost.Server.Management.PutUserAsync(_vhost.Name, user, "secret", Named(configure), Named(write), Named(read));

            var (_, output, _) = await HoldfastCommand.RunAsync(Settings(uri, queue), "check");

            Assert.Contains(output, line => refusal is null
                ? line == $"ok       The queue '{queue}' is not there yet: the worker will declare it."
                : line.StartsWith($"error    The queue '{queue}' is not there, and the worker can't declare it: ", StringComparison.Ordinal) && line.Contains(Named(refusal), StringComparison.Ordinal));
            Assert.Equal((null, null), (await _vhost.QueueAsync(queue), await _vhost.QueueAsync($"{queue}.dead")));
        }
        finally
        {
            await _vhost.Server.Management.DeleteUserAsync(user);
        }

        string Named(string pattern) => pattern.Replace("QUEUE", queue, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Classic", 0)]
    [InlineData("Quorum", 1)]
    public async Task A_check_tells_of_priorities_that_a_queue_which_is_missing_can_not_have(string type, int code)
    {
        var queue = _vhost.NewQueue();

        var (ended, output, _) = await HoldfastCommand.RunAsync([.. Settings(_vhost.Uri, queue), ("Worker__RabbitMq__QueueType", type), ("Worker__RabbitMq__MaxPriority", "9")], "check");

        Assert.True(ended == code, string.Join('\n', output));
        Assert.Equal(code == 1, output.Any(line => line.StartsWith("error", StringComparison.Ordinal) && line.Contains("Set Worker__RabbitMq__MaxPriority=0", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task A_queue_that_serves_one_consumer_alone_is_not_waited_for_by_who_looks_into_it()
    {
        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        var queue = _vhost.NewQueue();
        await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-single-active-consumer"] = true });
        await channel.BasicQosAsync(0, 1, global: false);
        await channel.BasicConsumeAsync(queue, autoAck: false, new AsyncDefaultBasicConsumer(channel));
        foreach (var _ in Enumerable.Range(0, 2))
            await channel.BasicPublishAsync("", queue, body: ReadOnlyMemory<byte>.Empty);

        var (code, _, error) = await HoldfastCommand.RunAsync([("Worker__Broker", "RabbitMq"), ("ConnectionStrings__RabbitMq", _vhost.Uri)], "peek", "--queue", queue);

        Assert.Equal(1, code);
        Assert.Contains($"{queue} has 1 messages ready and 2 consumers, ours among them, but hands none out to us", Assert.Single(error), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_check_tells_of_a_queue_that_is_missing_and_of_a_limit_that_comes_too_soon()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        await _vhost.Server.Management.PutPolicyAsync(_vhost.Name, "soon", $"^{pile.Queue}$", new Dictionary<string, object> { ["delivery-limit"] = 3 });
        await Eventually.HoldsAsync("the limit to be told", async () => (await CheckAsync()).Output.Any(line => line.Contains("gives a message up after 4 deliveries (delivery-limit), no later", StringComparison.Ordinal)));

        Assert.Equal(1, (await CheckAsync()).Code);
        var (code, output, _) = await HoldfastCommand.RunAsync(pile.Settings, "check", "--queue", "nowhere", "--json");
        Assert.Equal(1, code);
        Assert.Contains(output, line => Field(line, "severity") == "error" && Field(line, "text")!.Contains("has no queue 'nowhere'", StringComparison.Ordinal));

        Task<(int Code, string[] Output, string[] Error)> CheckAsync() =>
            HoldfastCommand.RunAsync([.. pile.Settings, ("Worker__RabbitMq__ManagementUri", _vhost.Server.ManagementUri)], "check");
    }

    [Fact]
    public async Task What_somebody_else_holds_is_not_found_and_not_denied()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        await pile.FillAsync(1);
        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        Assert.NotNull(await channel.BasicGetAsync(pile.Dead, autoAck: false));

        var (code, output, _) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "list");

        Assert.Equal(0, code);
        Assert.Equal($"There are no dead letters of '{pile.Queue}'. What a worker or another command holds just now can't be seen.", Assert.Single(output));
    }

    [Fact]
    public async Task A_queue_that_goes_with_its_last_consumer_is_refused_by_a_check_and_by_a_worker()
    {
        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        var (queue, refusal) = (_vhost.NewQueue(), "is deleted with its last consumer (auto-delete)");
        await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: true);
        await channel.QueueDeclareAsync($"{queue}.dead", durable: true, exclusive: false, autoDelete: false);
        var options = new RabbitMqBrokerOptions { Uri = _vhost.Uri, ManagementUri = _vhost.Server.ManagementUri };

        var (code, output, _) = await HoldfastCommand.RunAsync(
            [("Worker__Broker", "RabbitMq"), ("Worker__Handler", "Demo"), ("Worker__Queue", queue), ("ConnectionStrings__RabbitMq", _vhost.Uri), ("Worker__RabbitMq__ManagementUri", _vhost.Server.ManagementUri)],
            "check");
        await using var broker = new RabbitMqBroker(options);
        var problem = await Assert.ThrowsAsync<BrokerException>(() => broker.OpenReceiverAsync(queue, default).AsTask());

        Assert.Equal(1, code);
        Assert.Contains(output, line => line.StartsWith($"error    {queue} {refusal}", StringComparison.Ordinal));
        Assert.StartsWith($"{queue} {refusal}", problem.Message, StringComparison.Ordinal);
        Assert.NotNull(await _vhost.QueueAsync(queue));
    }

    [Fact]
    public async Task A_check_tells_of_a_policy_that_has_what_waits_handed_on_at_most_once()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        await using (var broker = _vhost.NewBroker())
        await using (var sender = await broker.OpenSenderAsync(pile.Queue, default))
            await sender.SendAsync(new Message { Id = "later" }, TimeSpan.FromMilliseconds(10), default);
        await _vhost.Server.Management.PutPolicyAsync(_vhost.Name, "broad", $"^{pile.Queue}", new Dictionary<string, object> { ["max-length"] = 1_000_000, ["overflow"] = "drop-head" });

        await Eventually.HoldsAsync("the policy to be told", async () => (await CheckAsync()).Any(line =>
            line.StartsWith($"warning  What '{pile.Queue}.wait.10' hands on may be lost, for a policy sets its overflow to drop-head", StringComparison.Ordinal)));

        async Task<string[]> CheckAsync() =>
            (await HoldfastCommand.RunAsync([.. pile.Settings, ("Worker__RabbitMq__ManagementUri", _vhost.Server.ManagementUri)], "check")).Output;
    }

    [Fact]
    public async Task A_check_follows_what_the_server_gives_up()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        await _vhost.Server.Management.PutPolicyAsync(_vhost.Name, "lost", $"^{pile.Queue}$", new Dictionary<string, object> { ["dead-letter-exchange"] = pile.Queue, ["message-ttl"] = 3_600_000 });

        await ToldAsync($"warning  What the server itself gives up is lost: it is sent to the exchange '{pile.Queue}', which is not there; ");
        await ToldAsync("warning  What has waited in the queue for 01:00:00 is given up unhandled (message-ttl), and is lost.");
        await channel.ExchangeDeclareAsync(pile.Queue, ExchangeType.Direct);
        await ToldAsync($"warning  What the server itself gives up is lost: it is sent to the exchange '{pile.Queue}', which is bound to nothing; ");
        await channel.QueueBindAsync(pile.Dead, pile.Queue, pile.Queue);
        await ToldAsync($"ok       What the server itself gives up goes on to '{pile.Dead}' by the exchange '{pile.Queue}'.");

        Task ToldAsync(string line) => Eventually.HoldsAsync(line, async () =>
            (await HoldfastCommand.RunAsync([.. pile.Settings, ("Worker__RabbitMq__ManagementUri", _vhost.Server.ManagementUri)], "check")).Output.Any(told => told.StartsWith(line, StringComparison.Ordinal)));
    }

    private static (string, string)[] Settings(string uri, string queue) =>
        [("Worker__Broker", "RabbitMq"), ("Worker__Handler", "Demo"), ("ConnectionStrings__RabbitMq", uri), ("Worker__Queue", queue), ("Worker__RabbitMq__Declare", "true")];

    private static async Task<List<int>> ReplayAsync(Pile pile, (string, string)[] settings, params string[] options)
    {
        var (code, output, error) = await HoldfastCommand.RunAsync(settings, ["dead", "replay", "--yes", .. options]);
        Assert.True(code == 0, string.Join('\n', [.. output, .. error]));
        await pile.HasAsync(pile.Queue, 5_000);
        return [.. (await pile.TakeAllAsync(pile.Queue)).Select(message => int.Parse(message.Envelope.MessageId!))];
    }

    private static string? Field(string json, string name) => JsonDocument.Parse(json).RootElement.GetProperty(name).GetString();
}
