using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Http;

/// <summary>Where a redirect leads to, for a person to read: without a user, a password or a query, which may hold a secret.</summary>
internal static class RedirectTarget
{
    private const string Authority = "//";

    public static string Show(string location)
    {
        var text = location.Split('?', '#')[0].Replace('\\', '/');
        var scheme = text[..(text.Split('/', 2)[0].IndexOf(':') + 1)];
        var rest = text[scheme.Length..];
        return Printable.OneLine(
            rest.StartsWith(Authority, StringComparison.Ordinal) ? $"{scheme}{Authority}{WithoutUser(rest.TrimStart('/'))}"
            : scheme.Length == 0 ? rest

            // Many a reader forgives the missing slashes, and finds a user and a password where others see a path.
            : scheme);
    }

    private static string WithoutUser(string rest) => rest[(rest.Split('/', 2)[0].LastIndexOf('@') + 1)..];
}
