using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the settings of RabbitMQ, where that is the broker.</summary>
internal static class RabbitMqRules
{
    public static IEnumerable<OptionError> Broken(WorkerSettings settings)
    {
        var options = settings.Worker.RabbitMq;
        return Address(settings)
            .Concat(OptionRules.IsHeartbeat(options.Heartbeat)
                ? Times(options)
                : Rules.Must(false, "RabbitMq__Heartbeat", options.Heartbeat, "out of range; set whole seconds, 1s to 10m"))
            .Concat(Queues(options))
            .Concat(Rules.Read("RabbitMq__ManagementUri", options.ManagementUri, ManagementAddress.Parse));
    }

    /// <summary>What must hold of one queue: where it is the server that keeps messages back, it does so for all queues alike.</summary>
    public static IEnumerable<OptionError> Broken(QueueSettings queue, QueueSettings first, RabbitMqOptions options)
    {
        var (mine, theirs, isOurs) = (queue.Options.Retry, first.Options.Retry, options.DelayedRetry == DelayedRetry.WaitQueues);
        const string Rule = "another than other queues have, which Worker__RabbitMq__DelayedRetry=Native can't keep apart; set it for all queues alike, or WaitQueues";
        return Rules.Must(!OrderKey.IsSession(queue.Options.OrderBy ?? ""), "OrderBy", "session", "unknown to RabbitMQ, which has no sessions; set the property that holds the key")
            .Concat(Rules.Must(QueueName.LengthOf(queue.Handling.Queue) <= QueueName.LongestConsumed, "Queue", queue.Handling.Queue, $"too long; set at most {QueueName.LongestConsumed} bytes: the names of its wait queues begin with it, and RabbitMQ takes {Server.LongestShortText}"))
            .Concat(Rules.Must(isOurs || mine.Delay == theirs.Delay, "Retry__Delay", mine.Delay, Rule))
            .Concat(Rules.Must(isOurs || mine.MaxDelay == theirs.MaxDelay, "Retry__MaxDelay", mine.MaxDelay, Rule));
    }

    private static IEnumerable<OptionError> Address(WorkerSettings settings)
    {
        if (string.IsNullOrWhiteSpace(settings.RabbitMqUri))
            return [new(WorkerSettings.RabbitMqSetting, "It is not set; set an address such as amqp://user:password@host:5672/vhost.")];

        var problems = Rules.Read(WorkerSettings.RabbitMqSetting, settings.RabbitMqUri, ServerAddress.Parse).ToArray();
        return problems.Length > 0 ? problems
            : ServerAddress.Parse(settings.RabbitMqUri).IsTls ? Files(settings)
            : Unencrypted(settings.Worker.RabbitMq);
    }

    private static IEnumerable<OptionError> Files(WorkerSettings settings)
    {
        try
        {
            Tls.Read(settings.RabbitMq(TimeProvider.System));
            return [];
        }
        catch (TlsFileException wrong)
        {
            return [new($"RabbitMq__{wrong.Setting}", wrong.Message)];
        }
    }

    private static IEnumerable<OptionError> Times(RabbitMqOptions options)
    {
        var (beat, most) = (options.Heartbeat, options.ConsumerTimeout);
        return Rules.Must(most >= beat, "RabbitMq__ConsumerTimeout", most, $"too short; set what the server's consumer_timeout is, and at least {SettingValue.Show(beat)}, which is Worker__RabbitMq__Heartbeat")
            .Concat(Rules.Must(most <= OptionRules.LongestConsumerTimeout, "RabbitMq__ConsumerTimeout", most, "too long; set at most 24d"));
    }

    private static IEnumerable<OptionError> Queues(RabbitMqOptions options) =>
        Rules.Must(OptionRules.CanDelay(options.QueueType, options.DelayedRetry), "RabbitMq__DelayedRetry", options.DelayedRetry, "what quorum queues alone can do; set WaitQueues, or Worker__RabbitMq__QueueType=Quorum");

    private static IEnumerable<OptionError> Unencrypted(RabbitMqOptions options) =>
        new[] { ("CaFile", options.CaFile), ("ClientCertificateFile", options.ClientCertificateFile), ("ClientKeyFile", options.ClientKeyFile) }
            .SelectMany(file => Rules.Must(file.Item2 is null, $"RabbitMq__{file.Item1}", file.Item2 ?? "", $"of use with TLS only; set an amqps:// address in {WorkerSettings.RabbitMqSetting}, or leave it out"));
}
