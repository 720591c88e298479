using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the settings of RabbitMQ, where that is the broker.</summary>
internal static class RabbitMqRules
{
    private static readonly TimeSpan s_shortest = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestHeartbeat = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan s_longestTimeout = TimeSpan.FromDays(24);

    public static IEnumerable<OptionError> Broken(WorkerSettings settings, IConfiguration configuration)
    {
        var options = settings.Worker.RabbitMq;
        return Address(settings)
            .Concat(IsHeartbeat(options.Heartbeat)
                ? Times(options).Concat(Rules.Margins(settings.Queue.Lease, options.Heartbeat, "which is Worker__RabbitMq__Heartbeat", configuration))
                : Rules.Must(false, "RabbitMq__Heartbeat", options.Heartbeat, "out of range; set whole seconds, 1s to 10m"))
            .Concat(Queues(options))
            .Concat(Rules.Read("RabbitMq__ManagementUri", options.ManagementUri, ManagementAddress.Parse));
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

    private static bool IsHeartbeat(TimeSpan value) =>
        value >= s_shortest && value <= s_longestHeartbeat && value.Ticks % TimeSpan.TicksPerSecond == 0;

    private static IEnumerable<OptionError> Times(RabbitMqOptions options)
    {
        var (beat, most) = (options.Heartbeat, options.ConsumerTimeout);
        return Rules.Must(most >= beat, "RabbitMq__ConsumerTimeout", most, $"too short; set what the server's consumer_timeout is, and at least {SettingValue.Show(beat)}, which is Worker__RabbitMq__Heartbeat")
            .Concat(Rules.Must(most <= s_longestTimeout, "RabbitMq__ConsumerTimeout", most, "too long; set at most 24d"));
    }

    private static IEnumerable<OptionError> Queues(RabbitMqOptions options) =>
        Rules.Must(options is not { QueueType: QueueType.Classic, DelayedRetry: DelayedRetry.Native }, "RabbitMq__DelayedRetry", options.DelayedRetry, "what quorum queues alone can do; set WaitQueues, or Worker__RabbitMq__QueueType=Quorum");

    private static IEnumerable<OptionError> Unencrypted(RabbitMqOptions options) =>
        new[] { ("CaFile", options.CaFile), ("ClientCertificateFile", options.ClientCertificateFile), ("ClientKeyFile", options.ClientKeyFile) }
            .SelectMany(file => Rules.Must(file.Item2 is null, $"RabbitMq__{file.Item1}", file.Item2 ?? "", $"of use with TLS only; set an amqps:// address in {WorkerSettings.RabbitMqSetting}, or leave it out"));
}
