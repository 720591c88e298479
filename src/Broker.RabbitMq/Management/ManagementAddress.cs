namespace Holdfast.Broker.RabbitMq;

/// <summary>Where the management API is and who asks there. Shown as text, it keeps the password to itself.</summary>
internal sealed class ManagementAddress
{
    // All that a report reads, and no more of what the server would tell.
    private const string Columns = "columns=name,type,durable,auto_delete,arguments,effective_policy_definition";
    private const string Example = "set one such as http://user:password@host:15672";

    private readonly Uri _base;

    private ManagementAddress(Uri given)
    {
        _base = new UriBuilder(given) { UserName = "", Password = "" }.Uri;
        var login = (given.UserInfo.Length == 0 ? "guest:guest" : given.UserInfo).Split(':', 2);
        User = Uri.UnescapeDataString(login[0]);
        Password = login.Length > 1 ? Uri.UnescapeDataString(login[1]) : "";
    }

    public string User { get; }

    public string Password { get; }

    /// <summary>Whether it is on this machine.</summary>
    public bool IsLoopback => _base.IsLoopback;

    /// <exception cref="FormatException">It is no such address. The message says in a line what would be one, and shows no part of this.</exception>
    public static ManagementAddress Parse(string uri)
    {
        if (!Uri.TryCreate(uri.Trim(), UriKind.Absolute, out var given) || given.Scheme is not ("http" or "https") || given.Host.Length == 0)
            throw new FormatException($"It is no http:// or https:// address; {Example}.");
        return given.Query.Length == 0 && given.Fragment.Length == 0
            ? new(given)
            : throw new FormatException($"It has a ? or a # in it; {Example}, and write those of a password as %3F and %23.");
    }

    public Uri Queue(string virtualHost, string queue) =>
        new($"{this}/api/queues/{Uri.EscapeDataString(virtualHost)}/{Uri.EscapeDataString(queue)}?{Columns}");

    public Uri Exchange(string virtualHost, string exchange) => new($"{Of(virtualHost, exchange)}?columns=type");

    /// <summary>What an exchange is bound to.</summary>
    public Uri Bindings(string virtualHost, string exchange) =>
        new($"{Of(virtualHost, exchange)}/bindings/source?columns=destination,destination_type,routing_key");

    /// <summary>The first of the queues whose names are like that.</summary>
    public Uri Queues(string virtualHost, string pattern) =>
        new($"{this}/api/queues/{Uri.EscapeDataString(virtualHost)}?page=1&page_size=500&use_regex=true&name={Uri.EscapeDataString(pattern)}&{Columns}");

    public override string ToString() => _base.AbsoluteUri.TrimEnd('/');

    private string Of(string virtualHost, string exchange) => $"{this}/api/exchanges/{Uri.EscapeDataString(virtualHost)}/{Uri.EscapeDataString(exchange)}";
}
