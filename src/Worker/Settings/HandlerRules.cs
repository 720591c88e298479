using Holdfast.Consumer;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Settings;

/// <summary>What must be said of the handler before a worker starts: on a broker that others send to, which one it is.</summary>
internal static class HandlerRules
{
    public static IEnumerable<OptionError> Broken(WorkerSettings settings) =>
        IsReal(settings.Worker)
            ? settings.Queues.Where(queue => !queue.Sets("Handler")).Select(Unset)
            : [];

    // A broker that there is not is told by itself.
    private static bool IsReal(WorkerOptions worker) => !worker.Uses("InMemory") && Catalog.Brokers.ContainsKey(worker.Broker);

    private static OptionError Unset(QueueSettings queue) =>
        new("Handler", $"It is not set, and Demo, which it is by default, would complete the messages of '{queue.Handling.Queue}' without doing anything; set Http or Exec, or Demo if that is meant.");
}
