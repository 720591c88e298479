namespace Holdfast.Amqp;

/// <summary>What of AMQP's three nested things is spoken of.</summary>
public enum AmqpLevel
{
    Connection,
    Session,
    Link,
}
