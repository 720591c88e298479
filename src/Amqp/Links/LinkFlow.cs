namespace Holdfast.Amqp;

/// <summary>What a flow frame says of a link.</summary>
internal readonly record struct LinkFlow(uint Handle, uint DeliveryCount, uint Credit, bool Drains);
