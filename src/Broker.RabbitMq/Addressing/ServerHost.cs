namespace Holdfast.Broker.RabbitMq;

/// <summary>One machine of an address. An IPv6 address is named without its brackets.</summary>
internal readonly record struct ServerHost(string Name, int Port)
{
    public override string ToString() => Name.Contains(':') ? $"[{Name}]:{Port}" : $"{Name}:{Port}";
}
