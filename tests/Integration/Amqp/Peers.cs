using Holdfast.Amqp;

namespace Holdfast.Tests.Integration;

/// <summary>What tests do with AMQP peers all the time.</summary>
internal static class Peers
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public static AmqpConnectionOptions Options(int port, params SaslMechanism[] sasl) => new()
    {
        Host = "127.0.0.1",
        Port = port,
        Sasl = sasl is [] ? [SaslMechanism.Anonymous] : sasl,
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

    public static async Task<DeliveryState> SendAsync(this AmqpSender sender, byte[] body, bool settled = false)
    {
        using var patience = new CancellationTokenSource(Patience);
        return await sender.SendAsync(Encoded(body), 0, settled, patience.Token);
    }

    public static byte[] Encoded(byte[] body)
    {
        using var writer = new AmqpWriter();
        new AmqpMessage { Body = new DataBody(body) }.Encode(writer);
        return writer.ToArray();
    }
}
