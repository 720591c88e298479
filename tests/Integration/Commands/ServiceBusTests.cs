using System.Text.Json;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.Commands;

/// <summary>The commands on Service Bus, through the program itself.</summary>
public sealed class ServiceBusTests
{
    private const string Queue = PrivateNamespace.Queue;
    private const string Dead = $"{Queue}/$DeadLetterQueue";

    [Fact]
    public async Task Dead_letters_are_listed_replayed_as_new_and_purged_by_what_they_are()
    {
        await using var bus = await PrivateNamespace.StartAsync();
        await using var broker = bus.NewBroker();
        await DieAsync(broker, [.. Enumerable.Range(0, 250).Select(n => $"{n}")]);

        var (_, listed, _) = await HoldfastCommand.RunAsync(Settings(bus), "dead", "list", "--limit", "2", "--json");
        Assert.Equal(["0", "1"], listed.Select(line => Field(line, "id")));
        Assert.Equal("Even", Field(listed[0], "reason"));

        var (code, output, error) = await HoldfastCommand.RunAsync(Settings(bus), "dead", "replay", "--reason", "Even", "--yes", "--json");
        Assert.Empty(error);
        Assert.Equal((0, $$"""{"queue":"{{Queue}}","target":"{{Queue}}","seen":250,"matched":125,"done":125,"isDryRun":false}"""), (code, Assert.Single(output)));

        var (purgeCode, purged, _) = await HoldfastCommand.RunAsync(Settings(bus), "dead", "purge", "--yes");
        Assert.Equal((0, "Removed 125 of 125 dead letters seen."), (purgeCode, Assert.Single(purged)));

        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        var ids = new List<string>();
        for (var n = 0; n < 125; n++)
        {
            var delivery = await receiver.TakeAsync();
            ids.Add(delivery.Message.Id);
            Assert.Equal(1, delivery.DeliveryCount);
            Assert.Equal(["holdfast-replayed-at", "holdfast-replays"], delivery.Message.Properties.Keys.Order());
            await receiver.CompleteAsync(delivery);
        }

        Assert.Equal(Enumerable.Range(0, 125).Select(n => $"{2 * n}").Order(), ids.Order());
        var (_, rest, _) = await HoldfastCommand.RunAsync(Settings(bus), "peek");
        Assert.Equal([$"Nothing waits in '{Queue}'."], rest);
    }

    [Fact]
    public async Task A_dead_letter_that_somebody_has_deferred_is_waited_for_by_nobody()
    {
        await using var bus = await PrivateNamespace.StartAsync();
        await using var broker = bus.NewBroker();
        await DieAsync(broker, "0", "1");
        await using (var dead = await broker.OpenReceiverAsync(Dead, default))
        {
            var first = (ServiceBusDelivery)await dead.TakeAsync();
            await first.Arrival!.Link.SettleAsync(first.Arrival.Receipt, new Amqp.Modified(UndeliverableHere: true), default);
        }

        var (code, output, error) = await HoldfastCommand.RunAsync(Settings(bus), "dead", "purge", "--yes");

        Assert.Equal((0, "Removed 1 of 1 dead letters seen. Deferred, and so left there: 1; a message like that is given to nobody but who has its number."), (code, Assert.Single(output)));
        Assert.Empty(error);
    }

    [Fact]
    public async Task What_waits_for_its_time_in_a_queue_that_is_replayed_is_waited_for_by_nobody()
    {
        const string Failed = "failed";
        await using var bus = await PrivateNamespace.StartAsync();
        await bus.Control.PutQueueAsync(Failed);
        await using var broker = bus.NewBroker();
        await using (var sender = await broker.OpenSenderAsync(Failed, default))
        {
            await sender.SendAsync(new() { Id = "later" }, TimeSpan.FromHours(1), default);
            await sender.SendAsync(new() { Id = "now" }, TimeSpan.Zero, default);
        }

        var (code, output, error) = await HoldfastCommand.RunAsync(Settings(bus), "dead", "replay", "--from", Failed, "--yes");

        Assert.Equal((0, $"Sent 1 of 1 dead letters seen to '{Queue}'. Scheduled, and so left there: 1; a message like that is given to nobody before its time."), (code, Assert.Single(output)));
        Assert.Empty(error);
    }

    [Fact]
    public async Task What_is_sent_can_be_looked_at_and_a_check_finds_everything_in_order()
    {
        await using var bus = await PrivateNamespace.StartAsync();

        var (code, output, _) = await HoldfastCommand.RunAsync(Settings(bus), "send", "--body", "hello", "--id", "a", "--count", "3");
        Assert.Equal((0, $"Sent 3 to '{Queue}', ids beginning with a."), (code, Assert.Single(output)));
        var (_, shown, _) = await HoldfastCommand.RunAsync(Settings(bus), "peek", "--json");
        Assert.Equal(["a-1", "a-2", "a-3"], shown.Select(line => Field(line, "id")).Order());

        var (checkCode, findings, _) = await HoldfastCommand.RunAsync(Settings(bus), "check");
        Assert.True(checkCode == 0, string.Join('\n', findings));
        Assert.Contains(findings, line => line.StartsWith("ok", StringComparison.Ordinal) && line.Contains("We may receive", StringComparison.Ordinal));
        Assert.Single(findings, line => line.StartsWith("warning ", StringComparison.Ordinal) && line.Contains("clock", StringComparison.Ordinal));
        var (deadCode, ofDead, _) = await HoldfastCommand.RunAsync(Settings(bus), "check", "--queue", Dead);
        Assert.True(deadCode == 0, string.Join('\n', ofDead));
        Assert.Contains(ofDead, line => line.Contains("has nowhere to go", StringComparison.Ordinal));
        var (missing, _, _) = await HoldfastCommand.RunAsync(Settings(bus), "check", "--queue", "nowhere");
        Assert.Equal(1, missing);
    }

    [Fact]
    public async Task A_sweep_hands_out_what_was_there_when_it_began_and_leaves_what_died_since()
    {
        await using var bus = await PrivateNamespace.StartAsync();
        await using var broker = bus.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        await broker.SendAsync(Queue, "-1");
        var early = await receiver.TakeAsync();
        await DieAsync(broker, [.. Enumerable.Range(0, 150).Select(n => $"{n}")]);
        await using var desk = NewDesk(bus);
        var (seen, since) = (new List<string>(), new List<string> { "-1" });
        await using (var sweep = await desk.SweepAsync(Dead, target: null, _ => null, rate: null, most: null, default))
        {
            // Its number is lower than any that was there when it died.
            Assert.True(await receiver.SettleAsync(early, Settlement.DeadLetter("Late", "It was held."), default));
            while (seen.Count < 200 && await sweep.NextAsync(default) is { } message)
            {
                seen.Add(message.Message.Id);
                await sweep.TakeAsync(message, default);
                since.Add($"{1000 + seen.Count}");
                await DieAsync(broker, since[^1]);
            }

            await sweep.CommitAsync(default);
            Assert.Equal((150, 150), (sweep.Count, sweep.Committed));
        }

        Assert.Equal(Enumerable.Range(0, 150).Select(n => $"{n}").Order(), seen.Order());
        var left = await desk.LookAsync(Dead, most: null, default).Select(letter => letter.Message.Id).ToListAsync();
        Assert.Equal(since.Order(), left.Order());
    }

    [Fact]
    public async Task A_letter_that_its_queue_refuses_leaves_no_other_in_both()
    {
        var (code, output, error, counts) = await ReplayTwentyAsync(new Fault("send", FaultEffect.Fail) { Times = 1, Condition = "amqp:resource-limit-exceeded" });

        Assert.Equal(1, code);
        Assert.Contains("has no room", Assert.Single(error), StringComparison.Ordinal);
        Assert.Equal((19, 1), (counts.Active, counts.DeadLettered));
        Assert.Contains("\"done\":19", Assert.Single(output), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_connection_that_breaks_between_a_copy_and_its_letter_leaves_none_in_both()
    {
        var (code, output, error, counts) = await ReplayTwentyAsync(new Fault("settle", FaultEffect.Cut) { Times = 1 });

        Assert.Equal((0, ""), (code, string.Join('\n', error)));
        Assert.Contains("\"done\":20", Assert.Single(output), StringComparison.Ordinal);
        Assert.Equal((20, 0), (counts.Active, counts.DeadLettered));
    }

    [Fact]
    public async Task A_letter_that_was_sent_and_can_not_be_completed_is_told_to_be_in_both()
    {
        var (code, output, error, counts) = await ReplayTwentyAsync(new Fault("settle", FaultEffect.Fail) { Times = 1, Condition = "amqp:not-allowed" });

        Assert.Equal(1, code);
        Assert.Contains("\"done\":19", Assert.Single(output), StringComparison.Ordinal);
        Assert.Contains("Sent and not completed: 1, which may be still in ", Assert.Single(error), StringComparison.Ordinal);
        Assert.Equal((20, 1), (counts.Active, counts.DeadLettered));
    }

    // In transfers of their own, where they are of several sessions; one by one, where the broker has refused all of them together.
    [Theory]
    [InlineData(true, FaultEffect.ServerBusy, 1)]
    [InlineData(false, FaultEffect.Fail, 2)]
    public async Task Behind_a_letter_that_was_not_sent_none_of_its_key_is(bool hasSessions, FaultEffect effect, int times)
    {
        await using var bus = await PrivateNamespace.StartAsync();
        await using var broker = bus.NewBroker();
        await using (var sender = await broker.OpenSenderAsync(Queue, default))
        {
            foreach (var (id, key) in ((int, string)[])[(1, "a"), (2, "b"), (3, "a"), (4, "b")])
                await sender.SendAsync(new() { Id = $"{id}", SessionId = hasSessions ? key : null, Properties = new Dictionary<string, object?> { ["key"] = key } }, TimeSpan.Zero, default);
        }

        await LetDieAsync(broker, count: 4);

        // While the first is on its way, the others come to wait.
        await bus.Control.FaultAsync(new Fault("send", FaultEffect.Delay) { Times = 1, Milliseconds = 1_000 });
        await bus.Control.FaultAsync(new Fault("send", effect) { Times = times });
        (string, string)[] settings = [.. Settings(bus), ("Worker__OrderBy", hasSessions ? "" : "key")];

        var (code, _, error) = await HoldfastCommand.RunAsync(settings, "dead", "replay", "--yes");
        Assert.Equal(1, code);
        Assert.Contains(" Not sent: 2. ", Assert.Single(error), StringComparison.Ordinal);
        Assert.Equal(0, (await HoldfastCommand.RunAsync(settings, "dead", "replay", "--yes")).Code);

        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        var arrived = new List<string>();
        while (arrived.Count < 4)
            arrived.Add((await receiver.TakeAsync()).Message.Id);
        Assert.Equal(["1", "3", "2", "4"], arrived);
    }

    [Fact]
    public async Task A_sweep_ends_without_what_others_hold()
    {
        await using var bus = await PrivateNamespace.StartAsync();
        await using var broker = bus.NewBroker();
        await DieAsync(broker, "1", "2", "3");
        await using var other = await broker.OpenReceiverAsync(Dead, default);
        var held = await other.TakeAsync();
        await using var desk = NewDesk(bus);
        await using var sweep = await desk.SweepAsync(Dead, target: null, _ => null, rate: null, most: null, default);

        var seen = new List<string>();
        while (await sweep.NextAsync(default) is { } message)
            seen.Add(message.Message.Id);

        Assert.Equal(["1", "2", "3"], seen.Append(held.Message.Id).Order());
    }

    [Fact]
    public async Task A_sweep_locks_no_more_than_are_wanted()
    {
        await using var bus = await PrivateNamespace.StartAsync();
        await using var broker = bus.NewBroker();
        await DieAsync(broker, "1", "2", "3");
        await using var desk = NewDesk(bus);
        await using var sweep = await desk.SweepAsync(Dead, target: null, _ => null, rate: null, most: 1, default);
        Assert.NotNull(await sweep.NextAsync(default));

        await using var other = await broker.OpenReceiverAsync(Dead, default);

        Assert.Equal(["2", "3"], [(await other.TakeAsync()).Message.Id, (await other.TakeAsync()).Message.Id]);
        Assert.Null(await sweep.NextAsync(default));
    }

    [Fact]
    public async Task A_look_ends_while_letters_keep_coming()
    {
        await using var bus = await PrivateNamespace.StartAsync();
        await using var broker = bus.NewBroker();
        await DieAsync(broker, "0", "1");
        await using var desk = NewDesk(bus);

        var seen = 0;
        await foreach (var _ in desk.LookAsync(Dead, most: null, default))
        {
            await DieAsync(broker, $"{++seen + 1}");
            Assert.InRange(seen, 1, 20);
        }
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(true, null)]
    [InlineData(false, null)]
    public async Task A_check_tells_whether_sessions_are_set_right(bool isRequired, bool? isSet)
    {
        await using var bus = await PrivateNamespace.StartAsync();
        await bus.Control.PutQueueAsync("tours", new QueueSettings { RequiresSession = isRequired });

        var (code, findings, _) = await HoldfastCommand.RunAsync([.. Settings(bus), ("Worker__ServiceBus__Sessions", $"{isSet}")], "check", "--queue", "tours");

        var isRight = isSet is null || isSet == isRequired;
        Assert.Equal(isRight ? 0 : 1, code);
        Assert.Equal(!isRight, findings.Any(line => line.Contains("Leave Worker__ServiceBus__Sessions", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData(30, "ok       The SharedAccessSignature in ConnectionStrings__ServiceBus lets us in until 2", 0)]
    [InlineData(0.5, "warning  The SharedAccessSignature in ConnectionStrings__ServiceBus expires at 2", 0)]
    [InlineData(-1, "error    The SharedAccessSignature in ConnectionStrings__ServiceBus expired at 2", 1)]
    public async Task A_check_tells_when_a_signature_of_somebody_elses_ends(double days, string told, int code)
    {
        await using var bus = await PrivateNamespace.StartAsync();
        var signature = new SharedAccessKey(ServiceBusServer.KeyName, bus.Server.Key).Sign("sb://127.0.0.1/", DateTimeOffset.UtcNow.AddDays(days));

        var (ended, findings, _) = await HoldfastCommand.RunAsync(
            [.. Settings(bus), ("ConnectionStrings__ServiceBus", $"Endpoint=sb://127.0.0.1:{bus.Server.Port};SharedAccessSignature={signature};UseDevelopmentEmulator=true")],
            "check");

        Assert.Equal(code, ended);
        Assert.Single(findings, line => line.StartsWith(told, StringComparison.Ordinal));
        Assert.Equal(code, findings.Count(line => line.StartsWith("error", StringComparison.Ordinal)));
    }

    // Twenty dead letters, and what became of them.
    private static async Task<(int Code, string[] Output, string[] Error, QueueCounts Counts)> ReplayTwentyAsync(Fault fault)
    {
        await using var bus = await PrivateNamespace.StartAsync();
        await using var broker = bus.NewBroker();
        await DieAsync(broker, [.. Enumerable.Range(0, 20).Select(n => $"{n}")]);
        await bus.Control.FaultAsync(fault);

        var (code, output, error) = await HoldfastCommand.RunAsync(Settings(bus), "dead", "replay", "--yes", "--json");
        return (code, output, error, await bus.Control.CountsAsync(Queue));
    }

    private static ServiceBusDesk NewDesk(PrivateNamespace bus) => new(new ServiceBusBrokerOptions { ConnectionString = bus.Server.ConnectionString() });

    private static async Task DieAsync(ServiceBusBroker broker, params string[] ids)
    {
        await broker.SendAsync(Queue, ids);
        await LetDieAsync(broker, ids.Length);
    }

    private static async Task LetDieAsync(ServiceBusBroker broker, int count)
    {
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        for (var n = 0; n < count; n++)
        {
            var delivery = await receiver.TakeAsync();
            var reason = int.Parse(delivery.Message.Id) % 2 == 0 ? "Even" : "Odd";
            Assert.True(await receiver.SettleAsync(delivery, Settlement.DeadLetter(reason, "It is a number."), default));
        }
    }

    private static (string, string)[] Settings(PrivateNamespace bus) => [("Worker__Broker", "ServiceBus"), ("Worker__Handler", "Demo"), ("Worker__Queue", Queue), ("ConnectionStrings__ServiceBus", bus.Server.ConnectionString())];

    private static string? Field(string json, string name) => JsonDocument.Parse(json).RootElement.GetProperty(name).GetString();
}
