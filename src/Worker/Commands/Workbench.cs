using Holdfast.Broker;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;
using Holdfast.Worker.Terminal;
using Spectre.Console;

namespace Holdfast.Worker.Commands;

/// <summary>What a command finds around it: where it reads and writes, its settings, its broker.</summary>
internal sealed class Workbench
{
    public required TextWriter Output { get; init; }

    public required TextWriter Error { get; init; }

    /// <summary>What is piped in; null where nothing is.</summary>
    public Stream? Input { get; init; }

    /// <summary>Asks the person at the terminal, who says yes or not; null where nobody is there.</summary>
    public Func<string, CancellationToken, Task<bool>>? Ask { get; init; }

    /// <summary>How many columns the terminal has on which a bar that moves can be seen; null where there is none.</summary>
    public Func<int>? Columns { get; init; }

    /// <summary>Reads the settings; only a command that needs them meets a file that can't be read.</summary>
    public required Func<IConfiguration> Configuration { get; init; }

    public TimeProvider Time { get; init; } = TimeProvider.System;

    public IReadOnlyDictionary<string, Func<IServiceProvider, IBroker>> Brokers { get; init; } = Catalog.Brokers;

    public IReadOnlyDictionary<string, Func<IServiceProvider, IBrokerDesk>> Desks { get; init; } = Catalog.Desks;

    /// <summary>Around this process: its terminal, and the settings that a worker in its place would have.</summary>
    public static Workbench OfProcess() => new()
    {
        Output = new CommandOutput(Console.Out),
        Error = Console.Error,
        Input = StandardInput.Open(),
        Ask = Console.IsInputRedirected || Console.IsErrorRedirected ? null : new Confirmation(Console.Error, Console.OpenStandardInput).AskAsync,
        Columns = Console.IsErrorRedirected ? null : () => new AnsiConsoleOutput(Console.Error).Width,
        Configuration = SettingSources.Read,
    };
}
