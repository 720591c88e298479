using System.Net;
using System.Net.Sockets;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>Who listens where a Service Bus should be, and is none, or wants TLS where we have none.</summary>
public sealed class StrangerTests
{
    // It offers PLAIN alone, as RabbitMQ does.
    private static readonly byte[] s_plainOnly = [.. "AMQP\x3\x1\0\0"u8, 0, 0, 0, 0x1b, 2, 1, 0, 0, 0, 0x53, 0x40, 0xc0, 0x0e, 1, 0xe0, 0x0b, 1, 0xb3, 0, 0, 0, 5, .. "PLAIN"u8];

    // What he says, whether we have TLS, and what of it is told: HTTP, AMQP 0-9-1, an alert of TLS, nothing; and the same where we have TLS.
    public static TheoryData<byte[], bool, string> Strangers => new()
    {
        { [.. "HTTP/1.1 400 Bad Request\r\n\r\n"u8], false, "does not speak AMQP" },
        { [.. "AMQP\0\0\x9\x1"u8], false, "it speaks AMQP 0-9-1" },
        { [0x15, 3, 3, 0, 2, 2, 0x32, 0], false, "does not speak AMQP" },
        { [], false, "ended it without a word" },
        { s_plainOnly, false, "the SASL mechanisms PLAIN" },
        { [.. "HTTP/1.1 400 Bad Request\r\n\r\n"u8], true, "frame" },
        { [.. "AMQP\x3\x1\0\0"u8], true, "frame" },
        { [], true, "EOF" },
    };

    [Theory]
    [MemberData(nameof(Strangers))]
    public async Task Is_told_in_a_line_that_asks_for_another_address_and_not_for_another_key_or_certificate(byte[] says, bool isTls, string why)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var answering = AnswerAsync(listener, says);
        await using var broker = new ServiceBusBroker(new ServiceBusBrokerOptions
        {
            ConnectionString = $"Endpoint=sb://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port};SharedAccessKeyName=me;SharedAccessKey=secret{(isTls ? "" : ";UseDevelopmentEmulator=true")}",
        });

        var problem = await Assert.ThrowsAsync<BrokerException>(() => broker.OpenReceiverAsync("orders", default).AsTask());

        await answering;
        Assert.StartsWith("No connection to Service Bus at 127.0.0.1:", problem.Message, StringComparison.Ordinal);
        Assert.Contains(why, problem.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', problem.Message);
        foreach (var word in (string[])["CaFile", "SharedAccessKey", "secret"])
            Assert.DoesNotContain(word, problem.Message, StringComparison.Ordinal);
    }

    // Ended in order, and not reset, which would be another story.
    private static async Task AnswerAsync(TcpListener listener, byte[] says)
    {
        using var client = await listener.AcceptSocketAsync();
        await client.ReceiveAsync(new byte[4096]);
        await client.SendAsync(says);
        client.Shutdown(SocketShutdown.Send);
        while (await client.ReceiveAsync(new byte[4096]) > 0)
        {
        }
    }
}
