using Holdfast.Lab;
using Spectre.Console;

namespace Holdfast.Tests.Lab.Suite;

public sealed class SessionTests : IDisposable
{
    private readonly StringWriter _output = new();
    private readonly StringWriter _error = new();

    [Fact]
    public async Task Shows_and_publishes_what_each_experiment_found()
    {
        using var folder = new TempFolder();
        var exitCode = await RunAsync(folder, CancellationToken.None, new FakeExperiment("first", FakeExperiment.Report("[a]", "")), new FakeExperiment("second", FakeExperiment.Report("b")));

        Assert.Equal(0, exitCode);
        Assert.Equal(["lab.md", Path.Combine("lab", "first.svg")], folder.Files);
        Assert.Contains("| [a] | 1 |", folder.Read("lab.md"));
        Assert.Contains("| b | 1 |", folder.Read("lab.md"));
        Assert.Contains("[a]", $"{_output}");
        Assert.Contains("A finding.", $"{_output}");
        Assert.Contains("All in 0:0", $"{_output}");
    }

    [Fact]
    public async Task An_interrupt_ends_it_with_130_and_leaves_no_file()
    {
        using var folder = new TempFolder();
        using var interrupt = new CancellationTokenSource();
        var endless = new FakeExperiment("endless", _ =>
        {
            interrupt.Cancel();
            return new TaskCompletionSource<Report>().Task;
        });

        Assert.Equal(130, await RunAsync(folder, interrupt.Token, endless, new FakeExperiment("next", FakeExperiment.Report("b"))));
        Assert.Empty(folder.Files);
        Assert.Contains("endless", $"{_error}");
    }

    [Fact]
    public async Task An_interrupt_that_comes_with_the_end_of_an_experiment_leaves_no_file()
    {
        using var folder = new TempFolder();
        using var interrupt = new CancellationTokenSource();
        var last = new FakeExperiment("last", _ =>
        {
            interrupt.Cancel();
            return Task.FromResult(FakeExperiment.Report("a"));
        });

        Assert.Equal(130, await RunAsync(folder, interrupt.Token, last));
        Assert.Empty(folder.Files);
    }

    [Fact]
    public async Task An_experiment_that_breaks_is_named_and_the_others_are_run()
    {
        using var folder = new TempFolder();
        var broken = new FakeExperiment("broken", _ => throw new PartFailedException("Out\nof luck."));
        var exitCode = await RunAsync(folder, CancellationToken.None, new FakeExperiment("first", FakeExperiment.Report("a")), broken, new FakeExperiment("last", FakeExperiment.Report("b")));

        Assert.Equal(1, exitCode);
        Assert.Equal("broken broke: Out of luck.", $"{_error}".TrimEnd());
        Assert.Equal(["lab.md"], folder.Files);
        Assert.Contains("| a | 1 |", folder.Read("lab.md"));
        Assert.Contains("| b | 1 |", folder.Read("lab.md"));
    }

    [Fact]
    public async Task Without_a_folder_nothing_is_written()
    {
        var exitCode = await RunAsync(null, CancellationToken.None, new FakeExperiment("first", FakeExperiment.Report("a", "")));

        Assert.Equal(0, exitCode);
        Assert.Contains("Figures", $"{_output}");
    }

    public void Dispose()
    {
        _output.Dispose();
        _error.Dispose();
    }

    private Task<int> RunAsync(TempFolder? folder, CancellationToken cancel, params IExperiment[] experiments)
    {
        var console = AnsiConsole.Create(new AnsiConsoleSettings { Ansi = AnsiSupport.No, Interactive = InteractionSupport.No, Out = new AnsiConsoleOutput(_output) });
        return new Session(console, _error).RunAsync(new(experiments, new Scope(), folder?.Path), cancel);
    }
}
