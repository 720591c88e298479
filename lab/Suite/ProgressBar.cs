using Spectre.Console;

namespace Holdfast.Lab;

/// <summary>Shows how far an experiment is: a bar in a terminal, else a line for each step.</summary>
internal static class ProgressBar
{
    public static Task<Report> ShowAsync(IAnsiConsole console, string name, Func<IProgress<Step>, Task<Report>> run)
    {
        if (!console.Profile.Capabilities.Interactive)
            return run(new Lines(console, name));

        // Without its own refresh: a bar that moves by itself would take CPU from what is measured.
        return console.Progress().AutoRefresh(false).AutoClear(true)
            .Columns(new TaskDescriptionColumn { Alignment = Justify.Left }, new ProgressBarColumn(), new PercentageColumn())
            .StartAsync(context => run(new Moves(context, context.AddTask(name, maxValue: 1), name)));
    }

    private sealed class Lines(IAnsiConsole console, string name) : IProgress<Step>
    {
        public void Report(Step value) => console.WriteLine($"{name}: {value.What} ({value.Done:P0})");
    }

    private sealed class Moves(ProgressContext context, ProgressTask task, string name) : IProgress<Step>
    {
        public void Report(Step value)
        {
            task.Description = Markup.Escape($"{name}: {value.What}");
            task.Value = value.Done;
            context.Refresh();
        }
    }
}
