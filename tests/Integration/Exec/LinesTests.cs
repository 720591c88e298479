using System.Security.Cryptography;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Holdfast.Worker.Exec;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Integration.Exec;

/// <summary>Real processes that are given one message after another.</summary>
public sealed class LinesTests : IDisposable
{
    // Each script says what becomes of a message m; it may ask for the answer with a description, such as its process's id.
    // An answer is one write, for print makes two of a line where Python does not buffer.
    private const string Begin = """
        import base64, fcntl, hashlib, json, os, subprocess, sys, termios, time
        def answer(result, **more):
            sys.stdout.write(json.dumps({"id": m["id"], "result": result, **more}) + "\n")
            sys.stdout.flush()
        def tell(what):
            with open("pids", "a") as pids: pids.write(f"{what}\n")
        def leave_daemon():
            tell(subprocess.Popen(["sleep", "1000"], start_new_session=True).pid)

        """;

    private const string Loop = """
        for line in sys.stdin:
            m = json.loads(line)

        """;

    private readonly Commands _commands = new();

    [Fact]
    public async Task One_process_handles_one_message_after_another()
    {
        await using var handler = Handler("""answer("dead_letter", description=str(os.getpid()))""");

        var first = await handler.HandleAsync(Commands.Message("1"), default);
        var second = await handler.HandleAsync(Commands.Message("2"), default);

        Assert.Equal(first.Description, second.Description);
    }

    [Fact]
    public async Task A_message_that_can_not_be_written_as_json_costs_no_process()
    {
        var nested = Enumerable.Range(0, 100).Aggregate<int, object?>("too deep", (within, _) => new List<object?> { within });
        var unwritable = new HeldMessage("orders", new Message { Id = "2", Properties = new Dictionary<string, object?> { ["nested"] = nested } });
        await using var handler = Handler("""answer("dead_letter", description=str(os.getpid()))""");
        var first = await handler.HandleAsync(Commands.Message("1"), default);

        await Assert.ThrowsAsync<UnreadableMessageException>(() => handler.HandleAsync(unwritable, default).AsTask());

        var third = await handler.HandleAsync(Commands.Message("3"), default);
        Assert.Equal(first.Description, third.Description);
    }

    [Fact]
    public async Task Messages_that_come_together_have_processes_of_their_own()
    {
        await using var handler = Handler("""
            tell(os.getpid())
            while len(open("pids").readlines()) < 2: time.sleep(0.01)
            answer("complete")
            """);

        var settlements = await Task.WhenAll(handler.HandleAsync(Commands.Message("1"), default).AsTask(), handler.HandleAsync(Commands.Message("2"), default).AsTask());

        Assert.All(settlements, settlement => Assert.Equal(Settlement.Complete, settlement));
        Assert.Equal(2, (await _commands.ProcessesAsync(2)).Distinct().Count());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10 << 20)]
    public async Task A_body_of_any_size_and_kind_arrives_whole(int size)
    {
        var body = RandomNumberGenerator.GetBytes(size);
        await using var handler = Handler("""answer("dead_letter", description=hashlib.sha256(base64.b64decode(m["bodyBase64"]) if "bodyBase64" in m else m["body"].encode()).hexdigest())""");

        var settlement = await handler.HandleAsync(Commands.Message(body: body), default);

        Assert.Equal(Convert.ToHexStringLower(SHA256.HashData(body)), settlement.Description);
    }

    [Fact]
    public async Task A_message_whose_process_dies_is_tried_again_by_another_one()
    {
        await using var handler = Handler("""
            if m["id"] == "1":
                print("out of cheese", file=sys.stderr, flush=True)
                os._exit(3)
            answer("complete")
            """);

        var failed = await Assert.ThrowsAsync<CommandFailedException>(() => handler.HandleAsync(Commands.Message("1"), default).AsTask());

        Assert.Equal("The process that had the message is lost. It closed its output without an answer. The command ended with exit code 3: out of cheese", failed.Message);
        Assert.Contains("Message 1 of orders, stderr: out of cheese", _commands.Logged);
        Assert.Equal(Settlement.Complete, await handler.HandleAsync(Commands.Message("2"), default));
    }

    [Theory]
    [InlineData(5_000)]
    [InlineData(0)]
    public async Task Processes_may_end_after_each_message_and_none_is_failed_by_that(int grace)
    {
        await using var handler = Handler("answer('complete'); sys.exit(0)", grace: TimeSpan.FromMilliseconds(grace));

        for (var i = 0; i < 8; i++)
            Assert.Equal(Settlement.Complete, await handler.HandleAsync(Commands.Message($"{i}"), default));

        Assert.Equal(7, _commands.Logged.Count(line => line.StartsWith("A process for orders ended while it had no message", StringComparison.Ordinal)));
        Assert.DoesNotContain(_commands.Logged, line => line.Contains("the process that had it is ended", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_process_that_has_closed_its_output_is_given_no_message()
    {
        // What comes by the other pipe comes after the end of this one.
        await using var handler = Handler(
            """
            answer("complete")
            if m["id"] == "1":
                os.close(1)
                print("closed", file=sys.stderr, flush=True)
                time.sleep(3)
                os._exit(0)
            """,
            grace: TimeSpan.FromMilliseconds(100));
        await handler.HandleAsync(Commands.Message("1"), default);
        await Eventually.HoldsAsync("the process to have closed its output", () => _commands.Logged.Contains("Message 1 of orders, stderr: closed"));

        Assert.Equal(Settlement.Complete, await handler.HandleAsync(Commands.Message("2"), default));
        Assert.Contains(_commands.Logged, line => line.StartsWith("A process for orders ended while it had no message", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("sys.exit(3)")]
    [InlineData("os.write(1, b'{'); sys.exit(0)")]
    public async Task A_process_that_ends_otherwise_has_failed_its_message(string end)
    {
        await using var handler = Handler($$"""
            if m["id"] == "2": {{end}}
            answer("complete")
            """);

        Assert.Equal(Settlement.Complete, await handler.HandleAsync(Commands.Message("1"), default));

        await Assert.ThrowsAsync<CommandFailedException>(() => handler.HandleAsync(Commands.Message("2"), default).AsTask());
        Assert.DoesNotContain(_commands.Logged, line => line.StartsWith("A process for orders ended while it had no message", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Whoever_has_left_the_group_can_not_hold_the_message_of_a_process_that_dies()
    {
        await using var handler = Handler("leave_daemon(); os._exit(3)");

        var failed = await Assert.ThrowsAsync<CommandFailedException>(() => handler.HandleAsync(Commands.Message(), default).AsTask());

        await _commands.EndItAsync();
        Assert.Equal("The process that had the message is lost. It closed its output without an answer. The command ended with exit code 3", failed.Message);
    }

    [Fact]
    public async Task Whoever_has_left_the_group_can_not_hold_the_message_of_a_process_that_ends_as_it_may()
    {
        await using var handler = Handler("""
            if m["id"] == "2" and not os.path.exists("pids"):
                leave_daemon()
                os._exit(0)
            answer("complete")
            """);
        await handler.HandleAsync(Commands.Message("1"), default);

        var second = await handler.HandleAsync(Commands.Message("2"), default);

        await _commands.EndItAsync();
        Assert.Equal(Settlement.Complete, second);
        Assert.Contains(_commands.Logged, line => line.StartsWith("A process for orders ended while it had no message", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("print('hello', flush=True)", "Its answer is not a line of JSON")]
    [InlineData("m['id'] = '7'; answer('complete')", "Its answer names another id")]
    [InlineData("print('x' * 100000, flush=True)", "Its answer is longer than 65536 bytes")]
    [InlineData("os.write(1, b'{}\\n{}\\n')", "It wrote more than a line")]
    [InlineData("os.close(1)", "It closed its output without an answer")]
    public async Task A_process_that_breaks_the_rules_is_ended(string script, string reason)
    {
        await using var handler = Handler($"tell(os.getpid())\n{script}\ntime.sleep(1000)");

        var failed = await Assert.ThrowsAsync<CommandFailedException>(() => handler.HandleAsync(Commands.Message(), default).AsTask());

        Assert.Contains(reason, failed.Message);
        await Commands.AreGoneAsync(await _commands.ProcessesAsync(1));
    }

    [Fact]
    public async Task A_process_that_says_more_once_it_has_answered_is_ended_and_settles_no_message_with_it()
    {
        // The first one says more, and its pipe is empty once the worker has read that.
        await using var handler = Handler("""
            is_first = not os.path.exists("go")
            answer("dead_letter", description=str(os.getpid()))
            if is_first:
                while not os.path.exists("go"): time.sleep(0.01)
                answer("complete")
                while fcntl.ioctl(1, termios.FIONREAD, bytes(4)) != bytes(4): time.sleep(0.01)
                tell(os.getpid())
            """);
        var first = await handler.HandleAsync(Commands.Message("1"), default);
        _commands.Script("go", "");
        var talkative = await _commands.ProcessesAsync(1);

        var second = await handler.HandleAsync(Commands.Message("1"), default);

        Assert.Equal((SettlementKind.DeadLetter, SettlementKind.DeadLetter), (first.Kind, second.Kind));
        Assert.NotEqual(first.Description, second.Description);
        Assert.Contains(_commands.Logged, line => line.StartsWith("A process for orders wrote more than was asked of it, and is ended", StringComparison.Ordinal));
        await Commands.AreGoneAsync(talkative);
    }

    [Fact]
    public async Task A_process_that_answers_before_it_has_read_is_heard_and_ended_once_the_grace_is_over()
    {
        await using var handler = Handler(
            """answer("complete")""",
            first: """
                if not os.path.exists("pids"):
                    tell(os.getpid())
                    m = {"id": "1"}
                    answer("dead_letter", reason="too_large")
                    time.sleep(1000)
                """,
            grace: TimeSpan.FromMilliseconds(200));

        var early = await handler.HandleAsync(Commands.Message("1", new byte[1 << 20]), default);

        Assert.Equal("too_large", early.Reason);
        await Commands.AreGoneAsync(await _commands.ProcessesAsync(1));
        Assert.Contains(_commands.Logged, line => line.StartsWith("Message 1 of orders: the process that answered did not read its line to the end, and is ended", StringComparison.Ordinal));
        Assert.Equal(Settlement.Complete, await handler.HandleAsync(Commands.Message("2"), default));
    }

    [Fact]
    public async Task A_process_that_hangs_is_ended_when_its_time_is_over()
    {
        var time = new VirtualTime();
        await using var handler = Handler("tell(os.getpid())\ntime.sleep(1000)", TimeSpan.FromSeconds(1), time: time);
        var handling = handler.HandleAsync(Commands.Message(), default).AsTask();
        var processes = await _commands.ProcessesAsync(1);
        Assert.False(handling.IsCompleted);

        time.Advance(TimeSpan.FromSeconds(1));

        await Assert.ThrowsAsync<TimeoutException>(() => handling);
        await Commands.AreGoneAsync(processes);
    }

    [Fact]
    public async Task A_lost_lease_ends_the_process_that_has_its_message()
    {
        using var lease = new CancellationTokenSource();
        await using var handler = Handler("tell(os.getpid())\ntime.sleep(1000)");
        var handling = handler.HandleAsync(Commands.Message(), lease.Token).AsTask();
        var processes = await _commands.ProcessesAsync(1);

        await lease.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => handling);
        await Commands.AreGoneAsync(processes);
    }

    [Fact]
    public async Task A_process_that_can_not_be_ended_does_not_hold_up_its_message()
    {
        var time = new VirtualTime();
        await using var handler = Handler("tell(os.getpid())\ntime.sleep(1000)", TimeSpan.FromSeconds(1), time: time, send: (_, _) => 0);
        var handling = handler.HandleAsync(Commands.Message(), default).AsTask();
        await _commands.ProcessesAsync(1);

        await Assert.ThrowsAsync<TimeoutException>(() => Commands.PassAsync(time, handling));
        Assert.Single(_commands.Logged, line => line.Contains("has not ended within 5 s of a SIGKILL", StringComparison.Ordinal));
        await _commands.EndItAsync();
    }

    [Fact]
    public async Task A_message_that_waits_for_a_new_process_is_given_back_when_the_worker_stops()
    {
        var time = new VirtualTime();
        using var stopping = new CancellationTokenSource();
        await using var handler = Handler("tell(os.getpid()); os._exit(3)", time: time, stopping: stopping.Token);
        await Assert.ThrowsAsync<CommandFailedException>(() => handler.HandleAsync(Commands.Message("1"), default).AsTask());
        var handling = handler.HandleAsync(Commands.Message("2"), default).AsTask();
        await Eventually.HoldsAsync("the pause to begin", () => time.UntilNextTimer == TimeSpan.FromMilliseconds(200));

        await stopping.CancelAsync();

        Assert.Equal(Settlement.Abandon, await handling);
        Assert.Equal(Settlement.Abandon, await handler.HandleAsync(Commands.Message("3"), default));
        Assert.Equal(TimeSpan.Zero, time.Elapsed);
        await _commands.ProcessesAsync(1);
    }

    [Fact]
    public async Task A_handler_that_is_disposed_lets_its_processes_end_by_themselves_first()
    {
        var handler = Handler("tell(os.getpid()); answer('complete')", end: "open('bye', 'w').close()");
        await handler.HandleAsync(Commands.Message(), default);

        await handler.DisposeAsync();

        Assert.True(File.Exists(_commands.File("bye")));
        await Commands.AreGoneAsync(await _commands.ProcessesAsync(1));
    }

    [Fact]
    public async Task A_process_that_does_not_end_by_itself_is_ended_with_its_handler()
    {
        var handler = Handler("tell(os.getpid()); answer('complete')", end: "time.sleep(1000)", grace: TimeSpan.FromMilliseconds(100));
        await handler.HandleAsync(Commands.Message(), default);
        var processes = await _commands.ProcessesAsync(1);

        await handler.DisposeAsync();

        await Commands.AreGoneAsync(processes);
    }

    public void Dispose() => _commands.Dispose();

    private LinesHandler Handler(string script, TimeSpan? timeout = null, string end = "", string first = "", TimeSpan? grace = null, TimeProvider? time = null, SendSignal? send = null, CancellationToken stopping = default)
    {
        var text = Begin + first + "\n" + Loop + string.Concat(script.Split('\n').Select(line => $"    {line.TrimEnd('\r')}\n")) + end + "\n";
        return new(
            new ExecOptions
            {
                Command = "python3",
                Arguments = _commands.Script("script.py", text),
                WorkingDirectory = _commands.Directory,
                Mode = ExecMode.Lines,
                Timeout = timeout,
                Grace = grace ?? TimeSpan.FromSeconds(5),
            }, send ?? Signals.Send, time ?? TimeProvider.System, _commands, stopping);
    }
}
