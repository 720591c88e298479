namespace Holdfast.Broker.RabbitMq;

/// <summary>Refuses what other clients take from an address's end, and names the setting that does it here.</summary>
internal static class AddressQuery
{
    private static readonly Dictionary<string, string> s_settings = new(StringComparer.OrdinalIgnoreCase)
    {
        ["heartbeat"] = "Heartbeat",
        ["cacertfile"] = "CaFile",
        ["certfile"] = "ClientCertificateFile",
        ["keyfile"] = "ClientKeyFile",
    };

    /// <exception cref="FormatException">There is a query or a fragment.</exception>
    public static void Refuse(string path)
    {
        if (path.Contains('#'))
            throw new FormatException("It has a # in it; write that as %23.");

        var start = path.IndexOf('?');
        if (start < 0)
            return;

        var settings = path[(start + 1)..].Split('&')
            .Select(part => s_settings.GetValueOrDefault(part.Split('=')[0]))
            .OfType<string>()
            .Select(setting => $"Worker__RabbitMq__{setting}")
            .ToArray();
        throw new FormatException(settings.Length == 0
            ? "It has a ? in it; leave out what follows (--help lists the settings of Worker__RabbitMq), or write it as %3F where it belongs to a name."
            : $"It has a ? in it; leave out what follows, and set {string.Join(" and ", settings)} instead.");
    }
}
