using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Reads an AMQP address. What it says of a wrong one never repeats a part of it: with a slip in the right place, that part is the password.</summary>
internal static class AddressText
{
    private const string Example = "such as amqp://user:password@host:5672/vhost";
    private const string DefaultLogin = "guest";
    private const int LongestVirtualHost = 255;

    public static ServerAddress Parse(string uri)
    {
        var text = uri.Trim();
        var isTls = text.StartsWith("amqps://", StringComparison.OrdinalIgnoreCase);
        if (!isTls && !text.StartsWith("amqp://", StringComparison.OrdinalIgnoreCase))
            throw Wrong($"It does not begin with amqp:// or amqps://; set an address {Example}");

        text = text[(text.IndexOf("://", StringComparison.Ordinal) + 3)..];
        var end = text.IndexOfAny(['/', '?', '#']);
        var (authority, rest) = end < 0 ? (text, "") : (text[..end], text[end..]);
        if (rest.Contains('@'))
            throw Wrong("It has an @ after its host; write / ? # @ in a user name, password or virtual host as %2F %3F %23 %40");

        AddressQuery.Refuse(rest);
        var at = authority.LastIndexOf('@');
        var (user, password) = at < 0 ? (DefaultLogin, DefaultLogin) : Login(authority[..at]);
        return new()
        {
            IsTls = isTls,
            User = user,
            Password = password,
            Hosts = [.. authority[(at + 1)..].Split(',').Select(host => Host(host.Trim(), isTls ? 5671 : 5672))],
            VirtualHost = VirtualHost(rest),
        };
    }

    private static (string User, string Password) Login(string text)
    {
        var colon = text.IndexOf(':');
        var user = Decode(colon < 0 ? text : text[..colon]);
        if (user.Length == 0)
            throw Wrong($"Its user name is empty; set an address {Example}");
        return (user, colon < 0 ? DefaultLogin : Decode(text[(colon + 1)..]));
    }

    private static ServerHost Host(string text, int defaultPort)
    {
        var isBracketed = text.StartsWith('[');
        if (!isBracketed && text.IndexOf(':') != text.LastIndexOf(':'))
            throw Wrong("Its host has several colons; write an IPv6 address in brackets, such as amqp://[::1]:5672");

        var nameEnd = isBracketed ? text.IndexOf(']') + 1 : text.IndexOf(':');
        var (name, port) = nameEnd < 0 ? (text, "") : (text[..nameEnd], text[nameEnd..]);
        if (!IsName(name) || port is [not ':', ..])
            throw Wrong($"Its host is missing or no host name; set an address {Example}");
        return new(name.Trim('[', ']'), port.Length == 0 ? defaultPort : Port(port[1..]));
    }

    private static bool IsName(string name) => name.StartsWith('[')
        ? IPAddress.TryParse(name.Trim('[', ']'), out var address) && address.AddressFamily == AddressFamily.InterNetworkV6
        : Uri.CheckHostName(name) is UriHostNameType.Dns or UriHostNameType.IPv4;

    private static int Port(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var port) && port is >= 1 and <= 65535
            ? port
            : throw Wrong("Its port is not a number from 1 to 65535; write host:5672, and an @ between password and host");

    // By the letter of the AMQP URI specification "amqp://host/" names a virtual host without a name, which nobody has;
    // who ends an address so, or with the // that other clients ask for, means the one named "/".
    private static string VirtualHost(string path)
    {
        if (path is "" or "/" or "//")
            return "/";
        if (path.LastIndexOf('/') > 0)
            throw Wrong("Its virtual host has a / in it; write that as %2F");

        var name = Decode(path[1..]);
        return Encoding.UTF8.GetByteCount(name) <= LongestVirtualHost
            ? name
            : throw Wrong($"Its virtual host is longer than {LongestVirtualHost} bytes; set the name of one that exists");
    }

    private static string Decode(string text)
    {
        for (var i = text.IndexOf('%'); i >= 0; i = text.IndexOf('%', i + 1))
        {
            if (i + 2 >= text.Length || !char.IsAsciiHexDigit(text[i + 1]) || !char.IsAsciiHexDigit(text[i + 2]))
                throw Wrong("It has a % that begins no escape; write a % of a user name, password or virtual host as %25");
        }

        return Uri.UnescapeDataString(text);
    }

    private static FormatException Wrong(string problem) => new(problem + ".");
}
