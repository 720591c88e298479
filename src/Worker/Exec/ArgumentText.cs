using System.Text;

namespace Holdfast.Worker.Exec;

/// <summary>Reads arguments written in one line: blanks part them, and quotes, single or double, hold together what is between them. Nothing else means anything; there is no shell.</summary>
internal static class ArgumentText
{
    /// <exception cref="FormatException">A quote is not closed.</exception>
    public static IReadOnlyList<string> Split(string line)
    {
        List<string> arguments = [];
        var argument = new StringBuilder();
        var hasBegun = false;
        char? quote = null;

        foreach (var c in line)
        {
            switch (quote)
            {
                case null when c is '"' or '\'':
                    (quote, hasBegun) = (c, true);
                    break;
                case null when char.IsWhiteSpace(c):
                    End();
                    break;
                case { } open when c == open:
                    quote = null;
                    break;
                default:
                    argument.Append(c);
                    hasBegun = true;
                    break;
            }
        }

        End();
        return quote is null ? arguments : throw new FormatException($"A quote ({quote}) is not closed; close it, or put it between quotes of the other kind.");

        // An empty one is none, unless it was quoted.
        void End()
        {
            if (hasBegun)
                arguments.Add(argument.ToString());
            argument.Clear();
            hasBegun = false;
        }
    }
}
