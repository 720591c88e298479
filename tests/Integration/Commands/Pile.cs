using System.Collections.Concurrent;
using System.Text;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Holdfast.Tests.Integration.Commands;

/// <summary>A queue and its dead letters, made and counted with the client library alone.</summary>
internal sealed class Pile : IAsyncDisposable
{
    private const int Batch = 2_000;
    private const int Lines = 10;

    private readonly IConnection _connection;
    private readonly IChannel _channel;

    private Pile(IConnection connection, IChannel channel, string queue, string server)
    {
        (_connection, _channel, Queue) = (connection, channel, queue);
        Settings = [("Worker__Broker", "RabbitMq"), ("Worker__Handler", "Demo"), ("Worker__Queue", queue), ("ConnectionStrings__RabbitMq", server)];
    }

    public string Queue { get; }

    /// <summary>Those of a worker that consumes it.</summary>
    public (string, string)[] Settings { get; }

    public string Dead => $"{Queue}.dead";

    public static async Task<Pile> MakeAsync(VirtualHost vhost, QueueType type)
    {
        var connection = await vhost.ConnectAsync();
        var channel = await connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true, outstandingPublisherConfirmationsRateLimiter: null));
        var pile = new Pile(connection, channel, vhost.NewQueue(), vhost.Uri);
        foreach (var name in (string[])[pile.Queue, pile.Dead])
            await channel.QueueDeclareAsync(name, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = type == QueueType.Quorum ? "quorum" : "classic" });
        return pile;
    }

    /// <summary>Puts so many dead letters there, numbered from 0; the even ones of one reason and the odd ones of another, in ten lines by their last digit.</summary>
    public async Task FillAsync(int count)
    {
        for (var done = 0; done < count; done += Batch)
            await Task.WhenAll(Enumerable.Range(done, Math.Min(Batch, count - done)).Select(PublishAsync));
    }

    public async Task<uint> CountAsync(string queue) => (await _channel.QueueDeclarePassiveAsync(queue)).MessageCount;

    /// <summary>Waits until so many are there: what is replayed comes by way of the server.</summary>
    public async Task HasAsync(string queue, int count)
    {
        var there = 0u;
        await Eventually.HoldsAsync(() => $"{count} messages in {queue}, where {there} are", async () => (there = await CountAsync(queue)) == count);
    }

    /// <summary>Takes all that waits in a queue, in order.</summary>
    public async Task<List<(IReadOnlyBasicProperties Envelope, string Body)>> TakeAllAsync(string queue)
    {
        var (count, all) = ((int)await CountAsync(queue), new List<(IReadOnlyBasicProperties Envelope, string Body)>());
        if (count == 0)
            return all;

        await TakeUntilAsync(queue, delivery =>
        {
            all.Add((delivery.BasicProperties, Encoding.UTF8.GetString(delivery.Body.Span)));
            return all.Count == count;
        });
        return all;
    }

    /// <summary>Takes what comes to a queue until each of so many numbers was among it, and tells all that came: one may have come twice.</summary>
    public async Task<IReadOnlyCollection<int>> TakeEachAsync(string queue, int count)
    {
        var (all, seen) = (new ConcurrentQueue<int>(), new HashSet<int>());
        await TakeUntilAsync(queue, delivery =>
        {
            var number = int.Parse(delivery.BasicProperties.MessageId!);
            all.Enqueue(number);
            return seen.Add(number) && seen.Count == count;
        });
        return all;
    }

    public Task DeleteAsync(string queue) => _channel.QueueDeleteAsync(queue);

    /// <summary>Whether those of each line stand in their order.</summary>
    public static void AreInLine(IEnumerable<int> numbers) => Assert.All(numbers.GroupBy(number => number % Lines), line => Assert.Equal(line.Order(), line));

    public async ValueTask DisposeAsync()
    {
        await _channel.DisposeAsync();
        await _connection.DisposeAsync();
    }

    private Task PublishAsync(int number) => _channel.BasicPublishAsync("", Dead, mandatory: true, new BasicProperties
    {
        MessageId = $"{number}",
        ContentType = "text/plain",
        Type = "order",
        Persistent = true,
        Headers = new Dictionary<string, object?>
        {
            [DeadLetterProperties.Reason] = number % 2 == 0 ? "Even" : "Odd",
            [DeadLetterProperties.Description] = "It is a number.",
            [DeadLetterProperties.Failures] = "[]",
            ["holdfast-deliveries"] = 3,
            ["customer"] = "7",
            ["line"] = number % Lines,
        },
    }, Encoding.UTF8.GetBytes($"body {number}")).AsTask();

    // On the channel that stays: a quorum queue hears of it later that a message was taken, and of a channel that ends before that takes it back.
    private async Task TakeUntilAsync(string queue, Func<BasicDeliverEventArgs, bool> isLast)
    {
        var done = new TaskCompletionSource();
        var consumer = new AsyncEventingBasicConsumer(_channel);
        consumer.ReceivedAsync += (_, delivery) =>
        {
            if (isLast(delivery))
                done.SetResult();
            return Task.CompletedTask;
        };

        var tag = await _channel.BasicConsumeAsync(queue, autoAck: true, consumer);
        await done.Task.WaitAsync(TimeSpan.FromSeconds(60));
        await _channel.BasicCancelAsync(tag);
    }
}
