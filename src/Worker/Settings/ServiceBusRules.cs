using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the settings of Service Bus, where that is the broker.</summary>
internal static class ServiceBusRules
{
    public static IEnumerable<OptionError> Broken(WorkerSettings settings)
    {
        var options = settings.Worker.ServiceBus;
        return Address(settings)
            .Concat(Rules.Must(OptionRules.MayName(options.SessionId, options.Sessions), "ServiceBus__SessionId", options.SessionId ?? "", "of use with sessions only; set Worker__ServiceBus__Sessions=true, or leave one of them out"))
            .Concat(Rules.Must(OptionRules.AreSessions(options.MaxSessions), "ServiceBus__MaxSessions", options.MaxSessions, $"out of range; set 1 to {OptionRules.MostSessions}"))
            .Concat(Between("SessionIdleTime", options.SessionIdleTime))
            .Concat(Between("OperationTimeout", options.OperationTimeout))
            .Concat(Rules.Read("ServiceBus__CaFile", options.CaFile, Authorities.Read));
    }

    /// <summary>What must hold of one queue.</summary>
    public static IEnumerable<OptionError> Broken(QueueSettings queue)
    {
        try
        {
            EntityName.Parse(queue.Handling.Queue);
            return [];
        }
        catch (BrokerException wrong)
        {
            return [new("Queue", wrong.Message)];
        }
    }

    private static IEnumerable<OptionError> Address(WorkerSettings settings) => (settings.ServiceBusConnection, settings.ServiceBusNamespace) switch
    {
        (null, null) => [new(WorkerSettings.ServiceBusSetting, $"It is not set; set the namespace's connection string, or {WorkerSettings.ServiceBusNamespaceSetting} where an identity of Azure says who we are.")],
        (not null, not null) => [new(WorkerSettings.ServiceBusNamespaceSetting, $"It is set beside {WorkerSettings.ServiceBusSetting}; leave one of them out.")],
        (not null, null) => Rules.Read(WorkerSettings.ServiceBusSetting, settings.ServiceBusConnection, ConnectionText.Parse),
        _ => Rules.Read(WorkerSettings.ServiceBusNamespaceSetting, settings.ServiceBusNamespace, NamespaceAddress.OfHost),
    };

    private static IEnumerable<OptionError> Between(string setting, TimeSpan value) =>
        Rules.Must(OptionRules.IsPatience(value), $"ServiceBus__{setting}", value, "out of range; set 1s to 10m");
}
