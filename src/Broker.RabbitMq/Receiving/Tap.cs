using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Holdfast.Broker.RabbitMq;

/// <summary>One consumer on a channel, with a prefetch of its own. The client calls it, one delivery after the other.</summary>
internal sealed class Tap(Intake intake, int prefetch) : IAsyncBasicConsumer
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _unsettled;
    private bool _isEnding;

    public Intake Intake { get; } = intake;

    public int Prefetch { get; } = prefetch;

    /// <summary>The server's name for it.</summary>
    public string Tag { get; set; } = "";

    /// <summary>Deliveries that came by it and are not settled.</summary>
    public int Unsettled => Volatile.Read(ref _unsettled);

    /// <summary>Completes once nothing more comes by it.</summary>
    public Task Ended => _ended.Task;

    /// <summary>Whether it was ended, so that the server sends nothing in the place of what is settled.</summary>
    public bool IsEnding => Volatile.Read(ref _isEnding);

    public IChannel Channel => Intake.Channel;

    public void End() => Volatile.Write(ref _isEnding, true);

    public void Settled() => Interlocked.Decrement(ref _unsettled);

    public Task HandleBasicDeliverAsync(
        string consumerTag, ulong deliveryTag, bool redelivered, string exchange, string routingKey, IReadOnlyBasicProperties properties,
        ReadOnlyMemory<byte> body, CancellationToken cancellationToken = default)
    {
        Interlocked.Increment(ref _unsettled);

        try
        {
            // The body is the client's again when this returns.
            Intake.Arrived(this, new Arrival(deliveryTag, redelivered, exchange, routingKey, properties, body.ToArray(), Intake.Time.GetTimestamp()));
        }
        catch (Exception problem)
        {
            // The client goes on without a word, and the server would wait for ever to hear of what nobody has: with its channel it goes back.
            Intake.Fail(problem);
        }

        return Task.CompletedTask;
    }

    public Task HandleBasicConsumeOkAsync(string consumerTag, CancellationToken cancellationToken = default) => Task.CompletedTask;

    public Task HandleBasicCancelOkAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        _ended.TrySetResult();
        return Task.CompletedTask;
    }

    public Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        _ended.TrySetResult();
        Intake.Cancelled();
        return Task.CompletedTask;
    }

    public Task HandleChannelShutdownAsync(object channel, ShutdownEventArgs reason)
    {
        _ended.TrySetResult();
        return Task.CompletedTask;
    }
}
