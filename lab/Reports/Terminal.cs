using Spectre.Console;

namespace Holdfast.Lab;

/// <summary>The terminal that this program writes to.</summary>
internal static class Terminal
{
    private const int RedirectedWidth = 160;

    /// <summary>Where the output is no terminal it is plain text, and a table's lines are not broken to the width of one.</summary>
    public static IAnsiConsole Open()
    {
        if (!Console.IsOutputRedirected)
            return AnsiConsole.Console;

        var plain = AnsiConsole.Create(new AnsiConsoleSettings { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors, Interactive = InteractionSupport.No });
        plain.Profile.Width = RedirectedWidth;
        return plain;
    }
}
