using System.Text.RegularExpressions;
using Holdfast.Tests.Servers;

namespace Holdfast.Tests.Unit;

/// <summary>What neither the compiler nor `dotnet format whitespace` looks at.</summary>
public sealed partial class SourceTests
{
    [Fact]
    public void Every_file_names_what_it_uses_in_order()
    {
        var unordered = SourceTree.Files("", "*.cs").Where(file => !IsOrdered([.. File.ReadLines(file).Where(IsUsing)])).ToArray();

        Assert.Empty(unordered);
    }

    /// <summary>By its number whoever filters a log tells one line from another.</summary>
    [Fact]
    public void No_two_lines_of_one_log_have_the_same_number()
    {
        var shared = SourceTree.Files("src", "*.cs")
            .SelectMany(file => Numbers().Matches(File.ReadAllText(file)).GroupBy(match => match.Groups[1].Value).Where(same => same.Count() > 1).Select(same => $"{same.Key} in {Path.GetFileName(file)}"))
            .ToArray();

        Assert.Empty(shared);
    }

    [GeneratedRegex(@"\[LoggerMessage\((\d+),")]
    private static partial Regex Numbers();

    private static bool IsUsing(string line) => line.StartsWith("using ", StringComparison.Ordinal) || line.StartsWith("global using ", StringComparison.Ordinal);

    private static bool IsOrdered(string[] usings) => usings.SequenceEqual(usings.OrderBy(KindOf).ThenBy(NameOf, StringComparer.OrdinalIgnoreCase));

    // The system's first, then all others, and at the end what names types rather than namespaces.
    private static int KindOf(string line) => line switch
    {
        _ when line.Contains('=') => 3,
        _ when line.Contains(" static ", StringComparison.Ordinal) => 2,
        _ when NameOf(line) is "System" || NameOf(line).StartsWith("System.", StringComparison.Ordinal) => 0,
        _ => 1,
    };

    private static string NameOf(string line) => line[(line.IndexOf("using ", StringComparison.Ordinal) + "using ".Length)..].TrimEnd(';');
}
