using System.Net;
using System.Text;

namespace Holdfast.Measuring;

/// <summary>A drawing as an SVG of a page's width, readable on a light and on a dark page.</summary>
internal sealed class SvgPage
{
    public const int Width = 720;
    public const int Margin = 14;

    // About so wide is a letter of its text at the most.
    public const double LetterWidth = 6.6;

    private const string Style = """
        <style>
        text{font:12px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600}.page{fill:#fff}.bar{fill:#8c959f}.ours{fill:#0969da}.lost{fill:#cf222e}.range,.axis{stroke:#1f2328}.grid{stroke:#d1d9e0}.line{fill:none;stroke-width:2}
        .line.a{stroke:#0969da}.line.b{stroke:#bc4c00}.line.c{stroke:#1a7f37}.line.d{stroke:#8250df}.line.e{stroke:#6e7781}
        @media (prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.bar{fill:#6e7681}.ours{fill:#4493f8}.lost{fill:#f85149}.range,.axis{stroke:#e6edf3}.grid{stroke:#30363d}
        .line.a{stroke:#4493f8}.line.b{stroke:#db6d28}.line.c{stroke:#3fb950}.line.d{stroke:#ab7df8}.line.e{stroke:#9198a1}}
        </style>
        """;

    private readonly StringBuilder _text = new();

    public SvgPage(string title, int height)
    {
        _text.Append($"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {Width} {height}\" width=\"{Width}\" height=\"{height}\" role=\"img\" aria-label=\"{Escaped(title)}\">\n");
        _text.Append(Style.ReplaceLineEndings("\n"));
        _text.Append($"\n<rect class=\"page\" width=\"{Width}\" height=\"{height}\" rx=\"6\"/>\n");
    }

    public SvgPage Heading(double x, double y, string text) => Element($"<text class=\"h\" x=\"{x:0.#}\" y=\"{y:0.#}\">{Escaped(text)}</text>");

    public SvgPage Text(double x, double y, string text, string anchor = "start") =>
        Element($"<text x=\"{x:0.#}\" y=\"{y:0.#}\"{(anchor == "start" ? "" : $" text-anchor=\"{anchor}\"")}>{Escaped(text)}</text>");

    /// <summary>A rectangle of one of the classes that the page's style names.</summary>
    public SvgPage Box(string style, double x, double y, double width, double height, string tip = "") =>
        Element($"<rect class=\"{style}\" x=\"{x:0.#}\" y=\"{y:0.#}\" width=\"{width:0.#}\" height=\"{height:0.#}\" rx=\"2\"{(tip.Length > 0 ? $"><title>{Escaped(tip)}</title></rect>" : "/>")}");

    /// <summary>A path of one of the classes that the page's style names.</summary>
    public SvgPage Path(string style, string path) => Element($"<path class=\"{style}\" d=\"{path}\"/>");

    public override string ToString() => $"{_text}</svg>\n";

    private SvgPage Element(string element)
    {
        _text.Append(element).Append('\n');
        return this;
    }

    private static string Escaped(string text) => WebUtility.HtmlEncode(text);
}
