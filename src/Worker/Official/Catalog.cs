using Holdfast.Broker;
using Holdfast.Broker.ServiceBusSdk;
using Holdfast.Worker.Official;

namespace Holdfast.Worker.Hosting;

/// <summary>The brokers that need the official packages.</summary>
internal static partial class Catalog
{
    static partial void AddOfficial(Dictionary<string, Func<IServiceProvider, IBroker>> brokers) =>
        brokers["ServiceBusSdk"] = services => new ServiceBusSdkBroker(SdkLimits.Checked(Settings(services)).ServiceBus(Time(services)));
}
