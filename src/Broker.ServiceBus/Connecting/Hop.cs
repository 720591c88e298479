using System.Runtime.CompilerServices;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// The way off the connection's reader thread, where answers complete: what follows may be a user's code, which may block, and then nothing would be read any more.
/// </summary>
internal static class Hop
{
    /// <summary>Goes on in the thread pool.</summary>
    public static ConfiguredTaskAwaitable ToPool() => Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
}
