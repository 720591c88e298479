using Holdfast.Consumer;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Official;

/// <summary>What of Service Bus's settings Microsoft's client can't be given, as far as we know it. To leave it out silently would be worse than to refuse it.</summary>
internal static class SdkLimits
{
    /// <exception cref="InvalidOptionsException">Something is set that it can't be given.</exception>
    public static WorkerSettings Checked(WorkerSettings settings)
    {
        var options = settings.Worker.ServiceBus;
        OptionError[] errors = [.. Rules.Must(options.CaFile is null, "ServiceBus__CaFile", options.CaFile ?? "", "of no use with Worker__Broker=ServiceBusSdk; leave it out and have the machine trust that authority, or set Worker__Broker=ServiceBus")];
        return errors.Length == 0 ? settings : throw new InvalidOptionsException(errors);
    }
}
