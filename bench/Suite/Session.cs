using Spectre.Console;

namespace Holdfast.Bench;

/// <summary>One call of the program: runs what was asked for, a table for each case.</summary>
internal static class Session
{
    private const int Ran = 0;
    private const int Broke = 1;
    private const int Misused = 2;
    private const int RedirectedWidth = 220;

    public static async Task<int> RunAsync(Arguments arguments)
    {
        var console = AnsiConsole.Console;
        if (!console.Profile.Capabilities.Interactive)
            console.Profile.Width = Math.Max(console.Profile.Width, RedirectedWidth);

        if (arguments.Problem is { } problem)
        {
            console.MarkupLineInterpolated($"[red]{problem}[/]");
            ConsoleReport.List(console);
            return Misused;
        }

        if (arguments.IsList)
        {
            ConsoleReport.List(console);
            return Ran;
        }

        var sheets = new List<Sheet>();
        await using var server = new RabbitServer();
        var runner = new Runner(console, new Scale(arguments.IsQuick), server);
        foreach (var one in arguments.Cases)
        {
            var sheet = await runner.RunAsync(one);
            sheets.Add(sheet);
            ConsoleReport.Write(console, sheet);
        }

        ConsoleReport.Summarize(console, sheets);
        if (arguments.Markdown is { } file)
            await MarkdownReport.WriteAsync(file, sheets);
        return sheets.Exists(sheet => sheet.IsBroken) ? Broke : Ran;
    }
}
