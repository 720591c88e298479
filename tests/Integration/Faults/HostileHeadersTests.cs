using System.Text.RegularExpressions;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration;

/// <summary>Headers that only a stranger would write, in a queue of others' messages.</summary>
public sealed class HostileHeadersTests : IClassFixture<VirtualHost>
{
    // As many as fit a frame.
    private const int Lists = 25_000;
    private const int Tables = 21_000;

    private readonly VirtualHost _vhost;

    public HostileHeadersTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Lists_and_tables_within_one_another_do_not_end_the_process(bool isOfLists)
    {
        var queue = await QueueOfAsync(isOfLists ? RawEnvelope.Lists(Lists) : RawEnvelope.Tables(Tables));
        using var worker = WorkerProcess.Start(
            _vhost.Uri, queue, ("Worker__Handler", "Exec"), ("Worker__Exec__Command", "true"), ("Worker__RabbitMq__QueueType", "Classic"));
        using var page = new HttpClient { BaseAddress = await worker.StatusPageAsync() };

        await Eventually.HoldsAsync("all to be settled", async () =>
            Regex.IsMatch(await page.GetStringAsync("metrics"), """^holdfast_messages_settled_total\{.*outcome="complete".*\} 4$""", RegexOptions.Multiline));
        await worker.TerminateAsync();

        Assert.Equal(0, (await worker.EndAsync()).Code);
        await _vhost.NothingIsLeftAsync(queue);
    }

    [Fact]
    public async Task What_can_not_be_read_is_told_with_where_it_lies()
    {
        var queue = await QueueOfAsync(RawEnvelope.Decimal());
        await using var broker = _vhost.NewBroker(QueueType.Classic);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);

        var problem = await Assert.ThrowsAsync<BrokerException>(async () => await receiver.ReceiveAsync(new Delivery[1], default));

        Assert.True(problem.IsTransient);
        Assert.Contains($"for queue '{queue}' can't be read", problem.Message, StringComparison.Ordinal);
        Assert.Contains("the message at its head", problem.Message, StringComparison.Ordinal);
    }

    private async Task<string> QueueOfAsync(byte[] header)
    {
        var queue = _vhost.NewQueue();
        await using (var broker = _vhost.NewBroker(QueueType.Classic))
        await using (await broker.OpenReceiverAsync(queue, default))
        {
            // Opened, it is declared.
        }

        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.BasicPublishAsync("", queue, mandatory: true, new RawEnvelope("x", header), new byte[] { 1 });
        for (var i = 0; i < 3; i++)
            await channel.BasicPublishAsync("", queue, mandatory: true, new byte[] { 2 }.AsMemory());

        // Confirmed they would have headers of the client's own; what is asked after them is answered when they are there.
        await channel.QueueDeclarePassiveAsync(queue);
        return queue;
    }
}
