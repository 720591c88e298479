namespace Holdfast.Broker.RabbitMq;

/// <summary>What must hold of the options. What can't be is told under the name that settings have in all that is told of them, whoever set it.</summary>
internal static class OptionRules
{
    /// <summary>The setting that says where the server is, and who we are.</summary>
    public const string Connection = "ConnectionStrings__RabbitMq";

    public static readonly TimeSpan LongestConsumerTimeout = TimeSpan.FromDays(24);

    private static readonly TimeSpan s_shortestHeartbeat = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestHeartbeat = TimeSpan.FromMinutes(10);

    /// <summary>Whether a heartbeat can be so long. Without any, a lease would be over as it begins.</summary>
    public static bool IsHeartbeat(TimeSpan value) =>
        value >= s_shortestHeartbeat && value <= s_longestHeartbeat && value.Ticks % TimeSpan.TicksPerSecond == 0;

    /// <summary>Whether retries can be delayed so in queues of that type: classic ones do not delay any by themselves.</summary>
    public static bool CanDelay(QueueType queues, DelayedRetry by) => (queues, by) is not (QueueType.Classic, DelayedRetry.Native);

    /// <returns>Where the server is.</returns>
    /// <exception cref="FormatException">An address can't be read.</exception>
    /// <exception cref="ArgumentException">Another one can't be as it is.</exception>
    public static ServerAddress Check(RabbitMqBrokerOptions options)
    {
        var address = SettingText.Read(Connection, options.Uri, ServerAddress.Parse);
        if (options.ManagementUri is { } management)
            SettingText.Read(ManagementApi.Setting, management, ManagementAddress.Parse);

        if (!IsHeartbeat(options.Heartbeat))
            throw new ArgumentException($"Worker__RabbitMq__Heartbeat: {options.Heartbeat} is out of range; set whole seconds, {s_shortestHeartbeat} to {s_longestHeartbeat}.");
        if (options.ConsumerTimeout < options.Heartbeat || options.ConsumerTimeout > LongestConsumerTimeout)
            throw new ArgumentException($"Worker__RabbitMq__ConsumerTimeout: {options.ConsumerTimeout} is out of range; set what the server's consumer_timeout is, from {options.Heartbeat}, which is Worker__RabbitMq__Heartbeat, to {LongestConsumerTimeout}.");
        if (!CanDelay(options.QueueType, options.DelayedRetry))
            throw new ArgumentException("Worker__RabbitMq__DelayedRetry: Native is what quorum queues alone can do; set WaitQueues, or Worker__RabbitMq__QueueType to Quorum.");
        return address;
    }
}
