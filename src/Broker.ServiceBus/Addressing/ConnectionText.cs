using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Reads a connection string. What it says of a wrong one never repeats a part of it: with a slip in the right place, that part is the key.
/// </summary>
internal sealed class ConnectionText
{
    private const string Example = "Endpoint=sb://name.servicebus.windows.net/;SharedAccessKeyName=...;SharedAccessKey=...";
    private const string SignaturePrefix = "SharedAccessSignature ";

    private static readonly string[] s_parts =
        ["Endpoint", "SharedAccessKeyName", "SharedAccessKey", "SharedAccessSignature", "EntityPath", "UseDevelopmentEmulator"];

    private readonly Dictionary<string, string> _values = new(StringComparer.OrdinalIgnoreCase);

    private ConnectionText(string text)
    {
        foreach (var part in text.Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
            Add(part);
    }

    /// <exception cref="FormatException">It is no such string. The message says in a line what is wrong, and shows no part of it.</exception>
    public static ConnectionSettings Parse(string text)
    {
        if (string.IsNullOrWhiteSpace(text))
            throw Wrong($"It is empty; set {Example}");
        return new ConnectionText(text).Read();
    }

    private void Add(string part)
    {
        var equals = part.IndexOf('=');
        if (equals <= 0)
            throw Wrong("It has a part without a name; write each as Name=value, with a ; between them");

        var name = part[..equals].TrimEnd();
        if (name.Equals("TransportType", StringComparison.OrdinalIgnoreCase))
            throw Wrong("It has a TransportType; leave that out, and set Worker__ServiceBus__Transport=WebSockets where it was AmqpWebSockets");
        if (name.Equals("OperationTimeout", StringComparison.OrdinalIgnoreCase))
            throw Wrong("It has an OperationTimeout; leave that out, and set Worker__ServiceBus__OperationTimeout instead");
        if (s_parts.FirstOrDefault(known => known.Equals(name, StringComparison.OrdinalIgnoreCase)) is not { } known)
            throw Wrong($"It has a part that is none of {string.Join(", ", s_parts)}");
        if (!_values.TryAdd(known, part[(equals + 1)..].TrimStart()))
            throw Wrong($"It has {known} twice");
    }

    private ConnectionSettings Read()
    {
        var isEmulator = IsEmulator();
        return new()
        {
            Address = Endpoint(isEmulator),
            EntityPath = Has("EntityPath", out var path) ? path.Trim('/') : null,
            Key = Key(),
            Signature = Signature(),
        };
    }

    private bool IsEmulator() =>
        Has("UseDevelopmentEmulator", out var value)
        && (bool.TryParse(value, out var isEmulator) ? isEmulator : throw Wrong("Its UseDevelopmentEmulator is neither true nor false"));

    private NamespaceAddress Endpoint(bool isEmulator)
    {
        if (!Has("Endpoint", out var text))
            throw Wrong($"It has no Endpoint; set {Example}");
        if (!text.StartsWith("sb://", StringComparison.OrdinalIgnoreCase) || !Uri.TryCreate(text, UriKind.Absolute, out var uri) || uri.Host.Length == 0)
            throw Wrong("Its Endpoint is not such as sb://name.servicebus.windows.net/");
        if (uri.UserInfo.Length > 0 || uri.AbsolutePath != "/" || uri.Query.Length > 0 || uri.Fragment.Length > 0)
            throw Wrong("Its Endpoint has more than a host and a port; name the queue in Worker__Queue, and the key in SharedAccessKeyName and SharedAccessKey");
        return new() { Host = uri.IdnHost, GivenPort = uri.Port > 0 ? uri.Port : null, IsEmulator = isEmulator };
    }

    private SharedAccessKey? Key()
    {
        var hasName = Has("SharedAccessKeyName", out var name);
        var hasKey = Has("SharedAccessKey", out var key);
        if (hasName != hasKey)
            throw Wrong(hasName ? "It has a SharedAccessKeyName, but no SharedAccessKey" : "It has a SharedAccessKey, but no SharedAccessKeyName");
        return hasKey ? new SharedAccessKey(name!, key!) : null;
    }

    private Token? Signature()
    {
        var has = Has("SharedAccessSignature", out var signature);
        if (has == _values.ContainsKey("SharedAccessKey"))
        {
            throw Wrong(has
                ? "It has both a SharedAccessKey and a SharedAccessSignature; leave one of them out"
                : "It does not say who we are; add SharedAccessKeyName and SharedAccessKey, or a SharedAccessSignature");
        }

        if (!has)
            return null;
        return signature!.StartsWith(SignaturePrefix, StringComparison.Ordinal)
            ? new Token(Token.SharedAccess, signature, ExpiryOf(signature))
            : throw Wrong("Its SharedAccessSignature is not such as SharedAccessSignature sr=...&sig=...&se=...&skn=...");
    }

    private static DateTimeOffset ExpiryOf(string signature)
    {
        var field = signature.Split(' ', '&').FirstOrDefault(field => field.StartsWith("se=", StringComparison.Ordinal));
        return field is not null && long.TryParse(field.AsSpan(3), NumberStyles.None, CultureInfo.InvariantCulture, out var seconds) && seconds <= DateTimeOffset.MaxValue.ToUnixTimeSeconds()
            ? DateTimeOffset.FromUnixTimeSeconds(seconds)
            : throw Wrong("Its SharedAccessSignature does not tell when it expires (se=...)");
    }

    private bool Has(string name, [NotNullWhen(true)] out string? value)
    {
        if (_values.TryGetValue(name, out value) && value.Length == 0)
            throw Wrong($"Its {name} is empty");
        return value is not null;
    }

    private static FormatException Wrong(string problem) => new(problem + ".");
}
