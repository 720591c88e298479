namespace Holdfast.Broker.ServiceBus;

/// <summary>A proof of who we are, until it expires. Shown as text, it keeps itself secret.</summary>
internal sealed class Token(string kind, string value, DateTimeOffset expires)
{
    public const string SharedAccess = "servicebus.windows.net:sastoken";
    public const string Jwt = "jwt";

    public string Kind { get; } = kind;

    public string Value { get; } = value;

    public DateTimeOffset Expires { get; } = expires;

    public override string ToString() => $"{Kind} until {Expires:u}";
}
