using Holdfast.Amqp;

namespace Holdfast.Tests.Integration;

/// <summary>What tests do with AMQP peers all the time.</summary>
internal static class Peers
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public static AmqpConnectionOptions Options(int port, TimeSpan? idleTimeout = null, params SaslMechanism[] sasl) => new()
    {
        Host = "127.0.0.1",
        Port = port,
        Sasl = sasl is [] ? [SaslMechanism.Anonymous] : sasl,
        IdleTimeout = idleTimeout ?? TimeSpan.FromSeconds(60),
    };

    public static async Task<AmqpSession> OpenAsync(AmqpConnectionOptions options)
    {
        using var patience = new CancellationTokenSource(Patience);
        var connection = await AmqpConnection.OpenAsync(options, patience.Token);
        return await connection.OpenSessionAsync(new SessionOptions(), patience.Token);
    }

    public static async Task<AmqpSender> SenderAsync(this AmqpSession session, string address)
    {
        using var patience = new CancellationTokenSource(Patience);
        return await session.OpenSenderAsync(new SenderOptions { Target = new Target { Address = address } }, patience.Token);
    }

    /// <summary>Sends a message of one data section.</summary>
    public static Task<DeliveryState> SendAsync(this AmqpSender sender, byte[] body, bool settled = false) => sender.SendEncodedAsync(Encoded(body), settled);

    public static byte[] Encoded(byte[] body)
    {
        using var writer = new AmqpWriter();
        new AmqpMessage { Body = new DataBody(body) }.Encode(writer);
        return writer.ToArray();
    }

    public static async Task<DeliveryState> SendEncodedAsync(this AmqpSender sender, byte[] payload, bool settled = false)
    {
        using var patience = new CancellationTokenSource(Patience);
        return await sender.SendAsync(payload, 0, settled, patience.Token);
    }
}
