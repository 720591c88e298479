using System.Text;

namespace Holdfast.Amqp;

/// <summary>A way to say who we are: a mechanism that needs nothing but its name and an initial response.</summary>
public sealed class SaslMechanism(Symbol name, ReadOnlyMemory<byte> initialResponse = default)
{
    public static SaslMechanism Anonymous { get; } = new("ANONYMOUS");

    /// <summary>Whom the client's certificate names.</summary>
    public static SaslMechanism External { get; } = new("EXTERNAL");

    public Symbol Name { get; } = name;

    public ReadOnlyMemory<byte> InitialResponse { get; } = initialResponse;

    /// <summary>User and password as they are: for use over TLS.</summary>
    public static SaslMechanism Plain(string user, string password) => new("PLAIN", Encoding.UTF8.GetBytes($"\0{user}\0{password}"));

    public override string ToString() => Name.ToString();
}
