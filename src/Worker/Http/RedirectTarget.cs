using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Http;

/// <summary>Where a redirect leads to, for a person to read: without a user, a password or a query, which may hold a secret.</summary>
internal static class RedirectTarget
{
    private const string Authority = "//";

    public static string Show(string location)
    {
        var text = location.Split('?', '#')[0].Replace('\\', '/');
        return Printable.OneLine(text.Split(Authority, 2) is [var scheme, var rest] && (scheme.Length == 0 || scheme.EndsWith(':'))
            ? $"{scheme}{Authority}{rest[(rest.Split('/', 2)[0].LastIndexOf('@') + 1)..]}"
            : text);
    }
}
