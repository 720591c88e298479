using System.Diagnostics;

namespace Holdfast.Tests.Integration.Exec;

/// <summary>The samples, by a worker of their own, as their page says.</summary>
public sealed class SampleTests : IDisposable
{
    private static readonly string s_samples = SourceTree.Find(Path.Combine("samples", "exec"));

    // As these tests were built, so was the worker.
    private static readonly string s_configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

    private readonly Commands _commands = new();

    [Theory]
    [InlineData("record.sh", "Once")]
    [InlineData("record.py", "Lines")]
    public async Task Orders_are_recorded_by_a_command(string program, string mode)
    {
        using var worker = WorkerProcess.Start(
            ("Worker__Handler", "Exec"),
            ("Worker__Exec__Command", $"./{program}"),
            ("Worker__Exec__WorkingDirectory", s_samples),
            ("Worker__Exec__Mode", mode),
            ("Worker__Demo__Produce", "50"),
            ("RECORDS", _commands.File("records")));
        await worker.StatusPageAsync();

        await Eventually.HoldsAsync("ten orders to be recorded", () => File.Exists(_commands.File("records")) && File.ReadAllLines(_commands.File("records")).Length >= 10);
        await worker.TerminateAsync();
        var (code, output, error) = await worker.EndAsync();

        Assert.Equal((0, ""), (code, error));
        Assert.Contains("Stopped. orders: settled", output);
    }

    [Theory]
    [InlineData("record.sh", "x")]
    [InlineData("record.py", """{"id":"a","body":"x"}""")]
    public async Task An_order_that_comes_again_is_recorded_once(string program, string told)
    {
        for (var delivery = 1; delivery <= 2; delivery++)
        {
            using var command = Process.Start(new ProcessStartInfo(Path.Combine(s_samples, program))
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                Environment = { ["HOLDFAST_ID"] = "a", ["RECORDS"] = _commands.File("records") },
            })!;
            await command.StandardInput.WriteAsync(told);
            command.StandardInput.Close();
            await command.WaitForExitAsync();
            Assert.Equal(0, command.ExitCode);
        }

        Assert.Equal(["a x"], await File.ReadAllLinesAsync(_commands.File("records")));
    }

    [Fact]
    public async Task A_command_is_looked_for_where_its_user_stands()
    {
        var start = new ProcessStartInfo("dotnet", ["run", "--no-build", "-c", s_configuration, "--project", SourceTree.Find(Path.Combine("src", "Worker")), "--", "check"])
        {
            WorkingDirectory = s_samples,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        (start.Environment["Worker__Handler"], start.Environment["Worker__Exec__Command"]) = ("Exec", "./record.sh");
        using var check = Process.Start(start)!;
        var error = check.StandardError.ReadToEndAsync();
        var output = await check.StandardOutput.ReadToEndAsync();
        await check.WaitForExitAsync();

        Assert.Equal((0, ""), (check.ExitCode, await error));
        Assert.Contains("The settings can be.", output);
    }

    [Fact]
    public async Task A_worker_that_stops_leaves_no_command_behind()
    {
        var script = _commands.Script("stubborn", "trap '' TERM\necho $$ >> pids\nsleep 1000 &\necho $! >> pids\nwait\n");
        using var worker = WorkerProcess.Start(
            ("Worker__Handler", "Exec"),
            ("Worker__Exec__Command", "sh"),
            ("Worker__Exec__Arguments", script),
            ("Worker__Exec__WorkingDirectory", _commands.Directory),
            ("Worker__Exec__Processes", "2"),
            ("Worker__DrainTimeout", "1s"),
            ("Worker__Demo__Produce", "50"));
        await worker.StatusPageAsync();
        var processes = await _commands.ProcessesAsync(4);

        await worker.TerminateAsync();
        var (code, _, error) = await worker.EndAsync();

        Assert.Equal((0, ""), (code, error));
        await Commands.AreGoneAsync(processes);
    }

    public void Dispose() => _commands.Dispose();
}
