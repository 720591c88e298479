namespace Holdfast.Bench;

/// <summary>What the command line asks for, or what is wrong with it.</summary>
internal sealed record Arguments(Case[] Cases, bool IsList, bool IsQuick, string? Markdown, string? Problem)
{
    public static Arguments Parse(string[] args)
    {
        var (cases, isList, isQuick, markdown, problem) = (new List<Case>(), false, false, (string?)null, (string?)null);
        for (var i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "list":
                    isList = true;
                    break;
                case "--quick":
                    isQuick = true;
                    break;
                case "--markdown" when i + 1 < args.Length:
                    markdown = args[++i];
                    break;
                case "--markdown":
                    problem = "--markdown needs a file.";
                    break;
                case var name when Catalog.Named(name) is { Length: > 0 } named:
                    cases.AddRange(named);
                    break;
                case var unknown:
                    problem ??= $"'{unknown}' is no case and no option.";
                    break;
            }
        }

        return new(cases.Count > 0 ? [.. cases.Distinct()] : Catalog.All, isList, isQuick, markdown, problem);
    }
}
