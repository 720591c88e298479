namespace Holdfast.Amqp;

/// <summary>Someone who wants to know that something has ended.</summary>
internal sealed class Told(Action<AmqpException> callback, AmqpException why) : IDue
{
    public void Release() => callback(why);
}
