using System.Text.Json;
using System.Text.Json.Serialization;
using Holdfast.Consumer;
using Holdfast.Worker.Messages;
using Holdfast.Worker.Terminal;
using Spectre.Console;

namespace Holdfast.Worker.Commands;

/// <summary>Where a command tells what it found: in lines for a person, or in JSON for a machine, never both.</summary>
internal sealed class Screen(Workbench bench, bool isJson)
{
    private static readonly JsonSerializerOptions s_json = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        NumberHandling = PropertyJson.Numbers,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
    };

    /// <summary>Whether there is somebody to see a bar, and room for it.</summary>
    public bool HasBar => !isJson && bench.Columns is { } columns && columns() >= BarOutput.Narrowest;

    /// <summary>A line for a person.</summary>
    public void Line(string text)
    {
        if (!isJson)
            bench.Output.WriteLine(text);
    }

    /// <summary>The same for a machine.</summary>
    public void Data(object data)
    {
        if (isJson)
            bench.Output.WriteLine(JsonSerializer.Serialize(data, s_json));
    }

    /// <summary>What is worth a word beside the data: among the lines for a person, and apart from the data for a machine.</summary>
    public void Note(string text)
    {
        Line(text);
        if (isJson)
            bench.Error.WriteLine(JsonSerializer.Serialize(new { note = text }, s_json));
    }

    /// <summary>What was done, for either. Where that can't be written, standard error has it: whoever hears of a failure alone does it again.</summary>
    public void Outcome(object data, string text)
    {
        try
        {
            Data(data);
            Line(text);
        }
        catch (OutputException lost)
        {
            Fail($"{text} {lost.Message}");
        }
    }

    /// <summary>What went wrong, for either.</summary>
    public void Fail(string problem) =>
        bench.Error.WriteLine(isJson ? JsonSerializer.Serialize(new { error = problem }, s_json) : Printable.OneLine(problem));

    /// <summary>Which settings can't be, and the exit code that says so.</summary>
    public int Refuse(InvalidOptionsException wrong)
    {
        foreach (var error in wrong.Errors)
            Fail(Hosting.Run.Line(error));
        return Hosting.ExitCode.Misconfigured;
    }

    /// <summary>Lets a person say no. Where nobody can be asked, the command must have been told.</summary>
    public async Task ConfirmAsync(string question, CancellationToken cancel)
    {
        if (isJson || bench.Ask is null)
            throw new Failure("There is nobody to ask whether to go on; give --yes, or --dry-run to see what it would do.", Hosting.ExitCode.Misused);
        if (!await bench.Ask(question, cancel))
            throw new Failure("Nothing was done.", Hosting.ExitCode.Failed);
    }

    /// <summary>Shows how it goes while it goes, where that can be seen. The total may be unknown.</summary>
    public async Task WatchAsync(string title, long? total, Func<IProgress<long>, Task> work)
    {
        if (!HasBar)
        {
            await work(new Unseen());
            return;
        }

        var console = AnsiConsole.Create(new() { Out = new BarOutput(bench.Error, bench.Columns!) });
        await console.Progress().Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new CountColumn(), new ElapsedTimeColumn())
            .StartAsync(context =>
            {
                var bar = context.AddTask(Markup.Escape(title), maxValue: total ?? double.MaxValue);
                bar.IsIndeterminate = total is null;
                return work(new Bar(bar));
            });
    }

    private sealed class Unseen : IProgress<long>
    {
        public void Report(long value)
        {
            // Nobody looks.
        }
    }

    private sealed class Bar(ProgressTask task) : IProgress<long>
    {
        public void Report(long value) => task.Value = value;
    }
}
