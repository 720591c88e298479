using System.Net;
using System.Net.Sockets;
using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class OutboxTests
{
    [Fact]
    public async Task What_waits_to_be_sent_when_it_closes_is_told_that_and_no_trouble_of_the_brokers()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        var options = new ServiceBusBrokerOptions
        {
            ConnectionString = $"Endpoint=sb://127.0.0.1:{((IPEndPoint)silent.LocalEndpoint).Port};SharedAccessKeyName=me;SharedAccessKey=secret;UseDevelopmentEmulator=true",
        };
        var (address, tokens) = ServiceBusBroker.Identify(options, out _);
        await using var dialer = new Dialer(options, address, tokens, new Problems(address, tokens));
        var outbox = new Outbox(dialer, EntityName.Parse("orders"), options.OperationTimeout);
        var sending = outbox.SendAsync(new AmqpMessage { Body = new DataBody(ReadOnlyMemory<byte>.Empty) }, default).AsTask();

        await outbox.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => sending);
    }

    [Fact]
    public async Task What_never_left_is_known_not_to_have_been_sent()
    {
        int nobody;
        using (var gone = new TcpListener(IPAddress.Loopback, 0))
        {
            gone.Start();
            nobody = ((IPEndPoint)gone.LocalEndpoint).Port;
        }

        var options = new ServiceBusBrokerOptions { ConnectionString = $"Endpoint=sb://127.0.0.1:{nobody};SharedAccessKeyName=me;SharedAccessKey=secret;UseDevelopmentEmulator=true" };
        var (address, tokens) = ServiceBusBroker.Identify(options, out _);
        await using var dialer = new Dialer(options, address, tokens, new Problems(address, tokens));
        await using var outbox = new Outbox(dialer, EntityName.Parse("orders"), options.OperationTimeout);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => outbox.SendAsync(new AmqpMessage { Body = new DataBody(ReadOnlyMemory<byte>.Empty) }, default).AsTask());

        Assert.Equal((true, true), (problem.IsTransient, problem.IsUnsent));
    }

    [Theory]
    [InlineData(0, 30)]
    [InlineData(64 * 1024, 31)]
    [InlineData(25 * 1024 * 1024, 430)]
    public async Task A_large_message_has_time_to_get_there_before_the_broker_s_silence_counts(int bytes, int seconds)
    {
        var options = new ServiceBusBrokerOptions { ConnectionString = "Endpoint=sb://127.0.0.1;SharedAccessKeyName=me;SharedAccessKey=secret;UseDevelopmentEmulator=true" };
        var (address, tokens) = ServiceBusBroker.Identify(options, out _);
        await using var dialer = new Dialer(options, address, tokens, new Problems(address, tokens));

        Assert.Equal(TimeSpan.FromSeconds(seconds), new Outbox(dialer, EntityName.Parse("orders"), options.OperationTimeout).PatienceWith(bytes));
    }
}
