using Holdfast.Tests.Servers;

namespace Holdfast.Tests.Unit;

/// <summary>What neither the compiler nor `dotnet format whitespace` looks at.</summary>
public sealed class SourceTests
{
    [Fact]
    public void Every_file_names_what_it_uses_in_order()
    {
        var unordered = SourceTree.Files("", "*.cs").Where(file => !IsOrdered([.. File.ReadLines(file).Where(IsUsing)])).ToArray();

        Assert.Empty(unordered);
    }

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
