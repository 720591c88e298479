namespace Holdfast.Broker.RabbitMq;

/// <summary>The server was asked something, and has said nothing for so long.</summary>
internal sealed class UnansweredException(TimeSpan patience) : Exception
{
    public TimeSpan Patience => patience;
}
