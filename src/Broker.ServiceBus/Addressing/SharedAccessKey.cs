using System.Security.Cryptography;
using System.Text;

namespace Holdfast.Broker.ServiceBus;

/// <summary>A shared access key, and the tokens that it signs. Shown as text, it keeps itself secret.</summary>
internal sealed class SharedAccessKey(string name, string key)
{
    public string Name { get; } = name;

    /// <summary>A token that grants the use of <paramref name="audience"/> until it expires.</summary>
    public string Sign(string audience, DateTimeOffset expires)
    {
        var resource = Uri.EscapeDataString(audience.ToLowerInvariant());
        var seconds = expires.ToUnixTimeSeconds();
        var signature = HMACSHA256.HashData(Encoding.UTF8.GetBytes(key), Encoding.UTF8.GetBytes($"{resource}\n{seconds}"));
        return $"SharedAccessSignature sr={resource}&sig={Uri.EscapeDataString(Convert.ToBase64String(signature))}&se={seconds}&skn={Uri.EscapeDataString(Name)}";
    }

    public override string ToString() => Name;
}
