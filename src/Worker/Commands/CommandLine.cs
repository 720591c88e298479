using System.CommandLine;
using System.Runtime.InteropServices;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Commands;

/// <summary>All that can be asked of this program beside running the worker.</summary>
internal static class CommandLine
{
    private const string RunName = "run";

    private static readonly TimeSpan s_timeToEnd = TimeSpan.FromSeconds(30);

    // Where one that moves messages is cut off, nobody knows where they are; and its waits end by themselves. The longest are those of RabbitMQ:
    // three heartbeats, of 10 minutes at most, for a confirmation; a minute for a commit, and another for what must be put back after it.
    private static readonly TimeSpan s_timeToMove = TimeSpan.FromHours(1);

    public static async Task<int> RunAsync(string[] args, Workbench bench)
    {
        try
        {
            return await AnswerAsync(args, bench);
        }
        catch (Exception problem)
        {
            ScreenOf(args, bench).Fail(problem.Message);
            return ExitCode.Failed;
        }
    }

    /// <summary>How long a command may take to end what it has begun, when it is told to stop; null where it sees to that itself, as the worker's drain does.</summary>
    internal static TimeSpan? TimeToEnd(string command) => command switch
    {
        RunName => null,
        SendCommand.Name or ClearCommand.ReplayName or ClearCommand.PurgeName => s_timeToMove,
        _ => s_timeToEnd,
    };

    private static async Task<int> AnswerAsync(string[] args, Workbench bench)
    {
        if (args is ["--help" or "-h" or "-?"])
        {
            bench.Output.Write(Help.Text);
            return ExitCode.Stopped;
        }

        if (args is ["--version"])
        {
            bench.Output.WriteLine(Product.Version);
            return ExitCode.Stopped;
        }

        // What begins with @ is what it says, and no file of more arguments.
        var parsed = Root(bench).Parse(args, new() { ResponseFileTokenReplacer = null });
        if (parsed.Errors is [var first, ..])
        {
            ScreenOf(args, bench).Fail($"{NoCommand(parsed) ?? first.Message} See --help.");
            return ExitCode.Misused;
        }

        using var stop = new CancellationTokenSource();
        using var hangUp = StopSignals.Heed(PosixSignal.SIGHUP, stop.Cancel);
        return await parsed.InvokeAsync(new() { Output = bench.Output, Error = bench.Error, EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = TimeToEnd(parsed.CommandResult.Command.Name) }, stop.Token);
    }

    // For what is told before, or beside, a command that has read its options.
    private static Screen ScreenOf(string[] args, Workbench bench) => new(bench, isJson: args.Contains(CommonOptions.JsonName));

    private static RootCommand Root(Workbench bench) => new("Holdfast: a message worker that holds its leases under any load.")
    {
        RunCommand(bench),
        SendCommand.Create(bench),
        PeekCommand.Create(bench),
        DeadCommand.Create(bench),
        CheckCommand.Create(bench),
        HealthCommand.Create(bench),
    };

    // Null where there is a command, and something else is wrong.
    private static string? NoCommand(ParseResult parsed)
    {
        string[] names = [.. parsed.CommandResult.Command.Subcommands.Select(command => command.Name)];
        if (names is [])
            return null;
        var wrong = parsed.UnmatchedTokens is [var first, ..] ? $"There is no command '{first}'" : "A command is missing";
        return $"{wrong}; give {Rules.Or(names)}.";
    }

    private static Command RunCommand(Workbench bench)
    {
        var command = new Command(RunName, "Run the worker, as without any command.");
        command.SetAction((_, _) => Run.ToEndAsync(bench.Error));
        return command;
    }
}
