using Holdfast.Consumer;
using Holdfast.Virtual;
using Holdfast.Worker.Exec;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Integration.Exec;

/// <summary>A real process for each message.</summary>
public sealed class OnceTests : IDisposable
{
    private const int TenMegabytes = 10 << 20;

    private readonly Commands _commands = new();

    [Fact]
    public async Task A_command_has_the_body_on_its_input_and_the_rest_in_its_environment()
    {
        Environment.SetEnvironmentVariable("ConnectionStrings__Probe", "s3cr3t");
        Environment.SetEnvironmentVariable("PROBE_OF_THE_COMMAND", "its own");

        var settlement = await HandleAsync("""
            [ "$(cat)" = hello ] && [ "$HOLDFAST_ID" = 1 ] && [ "$HOLDFAST_ATTEMPT" = 1 ] && [ "$PROBE_OF_THE_COMMAND" = "its own" ] && ! env | grep -q s3cr3t
            """);

        Assert.Equal(Settlement.Complete, settlement);
    }

    [Fact]
    public async Task Arguments_come_as_they_are_written_and_the_directory_is_the_one_that_is_set()
    {
        var options = Options("""[ "$1" = "a  b" ] && [ "$2" = '$HOME' ] && [ "$(pwd -P)" = "$3" ]""");
        options.Arguments += $" \"a  b\" $HOME {_commands.Directory}";
        options.WorkingDirectory = _commands.Directory;

        Assert.Equal(Settlement.Complete, await HandleAsync(options, Commands.Message()));
    }

    [Fact]
    public async Task The_exit_code_decides_and_the_last_words_say_why()
    {
        Assert.Equal(Settlement.Delay(TimeSpan.FromSeconds(30)), await HandleAsync("exit 75"));
        Assert.Equal(
            Settlement.DeadLetter("command_refused", "The command ended with exit code 65 (EX_DATAERR): no such customer"),
            await HandleAsync("echo chatter; echo no such customer >&2; exit 65"));
        Assert.Equal(
            "The command ended with exit code 3: oops",
            (await Assert.ThrowsAsync<CommandFailedException>(() => HandleAsync("echo oops >&2; exit 3"))).Message);
        Assert.Contains("signal 9", (await Assert.ThrowsAsync<CommandFailedException>(() => HandleAsync("kill -9 $$"))).Message);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(TenMegabytes)]
    public async Task A_body_of_any_size_arrives_whole(int size) =>
        Assert.Equal(Settlement.Complete, await HandleAsync($"[ $(wc -c) -eq {size} ]", Commands.Message(body: new byte[size])));

    [Theory]
    [InlineData("exit 0")]
    [InlineData("exec <&-; sleep 0.2; exit 0")]
    [InlineData("head -c 1 >/dev/null; exit 0")]
    public async Task A_command_need_not_read_its_body(string script) =>
        Assert.Equal(Settlement.Complete, await HandleAsync(script, Commands.Message(body: new byte[TenMegabytes])));

    [Fact]
    public async Task A_flood_of_output_neither_stops_the_command_nor_fills_the_log()
    {
        Assert.Equal(Settlement.Complete, await HandleAsync("yes 2>/dev/null | head -c 50000000; yes no 2>/dev/null | head -c 50000000 >&2"));

        Assert.Equal(2 * (100 + 1), _commands.Logged.Count);
        Assert.Contains("Message 1 of orders, stdout: y", _commands.Logged);
        Assert.StartsWith("Message 1 of orders, stderr: (49999700 bytes more", _commands.Logged.Last(line => line.Contains("stderr")));
    }

    [Fact]
    public async Task A_command_that_hangs_is_ended_when_its_time_is_over()
    {
        var options = Options("echo $$ > pids; exec sleep 1000");
        options.Timeout = TimeSpan.FromSeconds(1);
        var time = new VirtualTime();
        await using var handler = Handler(options, time);
        var handling = handler.HandleAsync(Commands.Message(), default).AsTask();
        var processes = await _commands.ProcessesAsync(1);
        Assert.False(handling.IsCompleted);

        time.Advance(TimeSpan.FromSeconds(1));

        var late = await Assert.ThrowsAsync<TimeoutException>(() => handling);
        Assert.Equal("The command took longer than 1 s (Worker__Exec__Timeout), and was ended.", late.Message);
        await Commands.AreGoneAsync(processes);
    }

    [Fact]
    public async Task A_lost_lease_ends_the_command_and_all_it_has_started_even_where_none_of_them_will()
    {
        using var lease = new CancellationTokenSource();
        var handling = HandleAsync(Options("trap '' TERM; sleep 1000 & echo $! >> pids; (sleep 1000 & echo $! >> pids; wait) & echo $! >> pids; echo $$ >> pids; wait"), Commands.Message(), lease.Token);
        var processes = await _commands.ProcessesAsync(4);
        Assert.All(processes, id => Assert.True(Commands.Lives(id)));

        await lease.CancelAsync();

        var lost = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => handling);
        Assert.Equal(lease.Token, lost.CancellationToken);
        await Commands.AreGoneAsync(processes);
    }

    [Fact]
    public async Task A_command_may_clean_up_when_it_is_told_to_end()
    {
        using var lease = new CancellationTokenSource();
        var options = Options("trap 'echo bye > bye; exit 0' TERM; echo $$ > pids; while :; do sleep 0.05; done");
        options.Grace = TimeSpan.FromSeconds(30);
        var handling = HandleAsync(options, Commands.Message(), lease.Token);
        await _commands.ProcessesAsync(1);

        await lease.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => handling);
        Assert.True(File.Exists(_commands.File("bye")));
    }

    [Fact]
    public async Task Who_works_for_a_shell_may_clean_up_too_though_the_shell_ends_at_once()
    {
        using var lease = new CancellationTokenSource();
        var work = _commands.Script("work", "trap 'sleep 0.3; echo bye > bye; exit' TERM; echo $$ > pids; while :; do sleep 0.05; done");
        var options = Options($"sh {work}; true");
        options.Grace = TimeSpan.FromSeconds(30);
        var handling = HandleAsync(options, Commands.Message(), lease.Token);
        await _commands.ProcessesAsync(1);

        await lease.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => handling);
        Assert.True(File.Exists(_commands.File("bye")));
    }

    [Fact]
    public async Task What_a_command_leaves_running_ends_with_it()
    {
        Assert.Equal(Settlement.Complete, await HandleAsync("sleep 1000 & echo $! > pids; exit 0"));

        await Commands.AreGoneAsync(await _commands.ProcessesAsync(1));
    }

    [Fact]
    public async Task Whoever_has_left_the_group_can_not_hold_the_message_up()
    {
        Assert.Equal(Settlement.Complete, await HandleAsync("setsid sleep 1000 & echo $! > pids; exit 0"));

        await _commands.EndItAsync();
    }

    [Fact]
    public async Task A_handler_that_is_disposed_leaves_nothing_running()
    {
        var handler = Handler(Options("echo $$ >> pids; sleep 1000 & echo $! >> pids; wait"));
        var handling = handler.HandleAsync(Commands.Message(), default).AsTask();
        var processes = await _commands.ProcessesAsync(2);

        await handler.DisposeAsync();

        await Assert.ThrowsAsync<CommandFailedException>(() => handling);
        await Commands.AreGoneAsync(processes);
    }

    [Fact]
    public async Task A_command_that_can_not_be_ended_holds_up_neither_the_workers_end_nor_its_message()
    {
        // As the system refuses it where the command runs as another user.
        var time = new VirtualTime();
        using var lease = new CancellationTokenSource();
        var handler = Handler(Options("echo $$ > pids; exec sleep 1000"), time, (_, _) => Signals.NotPermitted);
        var handling = handler.HandleAsync(Commands.Message(), lease.Token).AsTask();
        await _commands.ProcessesAsync(1);

        await Commands.PassAsync(time, handler.DisposeAsync().AsTask());
        await lease.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Commands.PassAsync(time, handling));
        Assert.Single(_commands.Logged, line => line.Contains("runs as another user and can't be ended", StringComparison.Ordinal));
        await _commands.EndItAsync();
    }

    [Fact]
    public async Task A_command_that_is_gone_meanwhile_fails_its_message_with_a_reason()
    {
        var options = new ExecOptions { Command = _commands.File("command") };
        File.Copy("/bin/true", options.Command);
        await using var handler = Handler(options);
        Assert.Equal(Settlement.Complete, await handler.HandleAsync(Commands.Message(), default));

        File.Delete(options.Command);

        var failed = await Assert.ThrowsAsync<CommandFailedException>(() => handler.HandleAsync(Commands.Message(), default).AsTask());
        Assert.Contains("exit code 127 (it was not found)", failed.Message);
        Assert.Contains(options.Command, failed.Message);
    }

    public void Dispose() => _commands.Dispose();

    private ExecOptions Options(string script) => new()
    {
        Command = "sh",
        Arguments = _commands.Script("script", script),
        WorkingDirectory = _commands.Directory,
    };

    private OnceHandler Handler(ExecOptions options, TimeProvider? time = null, SendSignal? send = null) => new(options, send ?? Signals.Send, time ?? TimeProvider.System, _commands);

    private Task<Settlement> HandleAsync(string script, HeldMessage? message = null) => HandleAsync(Options(script), message ?? Commands.Message());

    private async Task<Settlement> HandleAsync(ExecOptions options, HeldMessage message, CancellationToken cancel = default)
    {
        await using var handler = Handler(options);
        return await handler.HandleAsync(message, cancel);
    }
}
