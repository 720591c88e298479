using Holdfast.Consumer;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Settings;

/// <summary>What must be said of the broker: which it is, where one is named that is not asked for.</summary>
internal static class BrokerRules
{
    private const string Setting = "Broker";

    public static IEnumerable<OptionError> Broken(WorkerSettings settings, IConfigurationSection section) =>
        IsAddress(settings.Worker.Broker)
            ? [new(Setting, $"It is an address; set {Kinds}, and the address in {WorkerSettings.RabbitMqSetting} or {WorkerSettings.ServiceBusSetting}.")]
        : string.IsNullOrWhiteSpace(section[Setting]) && Named(settings) is (var broker, var address)
            ? [new(Setting, $"It is not set, and InMemory, which it is by default, would leave {address} unread; set {broker}, or InMemory if that is meant.")]
        : Rules.OneOf(Setting, settings.Worker.Broker, Catalog.Brokers.Keys);

    private static string Kinds => Rules.Or([.. Catalog.Brokers.Keys]);

    // It may hold a password, which is not for the log.
    private static bool IsAddress(string broker) =>
        broker.Contains("://", StringComparison.Ordinal) || broker.Contains(';', StringComparison.Ordinal);

    private static (string Broker, string Address)? Named(WorkerSettings settings) =>
        !string.IsNullOrWhiteSpace(settings.RabbitMqUri) ? ("RabbitMq", WorkerSettings.RabbitMqSetting)
        : settings.ServiceBusConnection is not null ? ("ServiceBus", WorkerSettings.ServiceBusSetting)
        : settings.ServiceBusNamespace is not null ? ("ServiceBus", WorkerSettings.ServiceBusNamespaceSetting)
        : null;
}
