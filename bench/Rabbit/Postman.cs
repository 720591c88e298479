using System.Diagnostics;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Bench;

/// <summary>A fresh queue, and the messages that are put into it. The queue goes with it.</summary>
internal sealed class Postman : IAsyncDisposable
{
    private const int Batch = 2_000;

    private readonly IConnection _connection;
    private readonly IChannel _channel;

    private Postman(IConnection connection, IChannel channel, string queue)
    {
        _connection = connection;
        _channel = channel;
        Queue = queue;
    }

    public string Queue { get; }

    public static async Task<Postman> StartAsync(QueueType type)
    {
        var connection = await RabbitTarget.Factory.CreateConnectionAsync();
        var options = new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true, outstandingPublisherConfirmationsRateLimiter: null);
        var channel = await connection.CreateChannelAsync(options);
        var queue = $"bench-{Guid.NewGuid():N}";
        var arguments = new Dictionary<string, object?> { ["x-queue-type"] = type == QueueType.Quorum ? "quorum" : "classic" };
        foreach (var name in (string[])[queue, DeadLettersOf(queue)])
            await channel.QueueDeclareAsync(name, durable: true, exclusive: false, autoDelete: false, arguments);
        return new(connection, channel, queue);
    }

    /// <summary>Publishes that many, numbered from zero, and returns once the server has taken over all of them.</summary>
    public async Task FillAsync(int messages)
    {
        for (var done = 0; done < messages; done += Batch)
            await Task.WhenAll(Enumerable.Range(done, Math.Min(Batch, messages - done)).Select(number => PublishAsync(number).AsTask()));
    }

    /// <summary>Publishes that many, so many in each second.</summary>
    public void Send(int messages, int perSecond)
    {
        var clock = Stopwatch.StartNew();
        var confirmations = new List<Task>(messages);
        while (confirmations.Count < messages)
        {
            var due = Math.Min(messages, clock.Elapsed.TotalSeconds * perSecond);
            while (confirmations.Count < due)
                confirmations.Add(PublishAsync(confirmations.Count).AsTask());
            Thread.Sleep(1);
        }

        Task.WaitAll(confirmations);
    }

    /// <summary>How many messages wait in the queue, of which nobody has one in hand.</summary>
    public Task<uint> WaitingAsync() => WaitingAsync(Queue);

    public async Task<uint> WaitingAsync(string queue) => (await _channel.QueueDeclarePassiveAsync(queue)).MessageCount;

    public async ValueTask DisposeAsync()
    {
        await _channel.QueueDeleteAsync(Queue);
        await _channel.QueueDeleteAsync(DeadLettersOf(Queue));
        await _connection.DisposeAsync();
    }

    /// <summary>Where the dead letters of a queue lie: Holdfast insists on a place for them.</summary>
    public static string DeadLettersOf(string queue) => $"{queue}.dead";

    private ValueTask PublishAsync(int number)
    {
        var properties = new BasicProperties { MessageId = $"{number}", ContentType = "application/json", DeliveryMode = DeliveryModes.Persistent };
        return _channel.BasicPublishAsync("", Queue, mandatory: true, properties, Letter.Write(number, Stopwatch.GetTimestamp()));
    }
}
