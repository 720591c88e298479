namespace Holdfast.Broker.RabbitMq;

/// <summary>RabbitMQ, over AMQP 0-9-1.</summary>
public sealed class RabbitMqBroker(RabbitMqBrokerOptions options) : IBroker
{
    public string System => "rabbitmq";

    public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) => throw new NotImplementedException(options.Uri);

    public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) => throw new NotImplementedException();

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
