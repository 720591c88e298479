using System.Text;
using Spectre.Console;

namespace Holdfast.Worker.Commands;

/// <summary>Where a bar is drawn. Made narrower while it moves, a terminal breaks its lines: Spectre.Console finds no end of them in a column or two.</summary>
internal sealed class BarOutput(TextWriter error, Func<int> width) : IAnsiConsoleOutput
{
    /// <summary>In fewer columns what it counts is broken up into letters.</summary>
    public const int Narrowest = 40;

    private readonly AnsiConsoleOutput _output = new(error);

    public TextWriter Writer => _output.Writer;

    public bool IsTerminal => _output.IsTerminal;

    public int Width => Math.Max(width(), Narrowest);

    public int Height => _output.Height;

    public void SetEncoding(Encoding encoding) => _output.SetEncoding(encoding);
}
