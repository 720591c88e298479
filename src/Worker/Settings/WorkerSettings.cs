using Azure.Identity;
using Holdfast.Broker.RabbitMq;
using Holdfast.Broker.ServiceBus;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Holdfast.Worker.Management;
using Holdfast.Worker.Otlp;

namespace Holdfast.Worker.Settings;

/// <summary>All that the configuration says, read and found right.</summary>
internal sealed class WorkerSettings
{
    /// <summary>What holds all settings of ours.</summary>
    public const string Section = "Worker";

    /// <summary>Every section of the configuration that the worker reads, those that hold secrets among them.</summary>
    public static readonly IReadOnlyList<string> Sections = [Section, "ConnectionStrings", "ServiceBus", "Logging"];

    /// <summary>What a setting of ours starts with where a person sets it in the environment.</summary>
    public const string Prefix = $"{Section}__";

    /// <summary>The full names of the settings that hold a secret, and so do not begin as the others do.</summary>
    public const string RabbitMqSetting = Holdfast.Broker.RabbitMq.OptionRules.Connection;
    public const string ServiceBusSetting = Holdfast.Broker.ServiceBus.OptionRules.Connection;

    /// <summary>What stands in its place where there is no secret; people know it by this name from Azure's own tools.</summary>
    public const string ServiceBusNamespaceSetting = Holdfast.Broker.ServiceBus.OptionRules.Namespace;

    /// <summary>Every setting of ours, but for those of queues that have names.</summary>
    public static IEnumerable<string> Names => SettingsSection.Names(new WorkerOptions(), new HandlingOptions(), new HoldfastOptions(), new QueueOptions());

    /// <summary>Where a worker of several queues has the settings of each, by its name.</summary>
    public const string QueuesKey = "Queues";

    private readonly SettingsSection _section;

    private WorkerSettings(IConfiguration configuration, out IReadOnlyList<OptionError> otelErrors)
    {
        Otel = OtelSettings.Read(configuration, out otelErrors);
        var section = configuration.GetSection(Section);
        _section = new(section, except: QueuesKey);
        var named = section.GetSection(QueuesKey).GetChildren().Where(queue => queue.GetChildren().Any()).ToArray();
        var bytesInFlight = MemoryNeed.InFlight(MemoryNeed.Heap, Math.Max(1, named.Length));
        Queues = named.Length == 0 ? [new(_section, bytesInFlight)] : [.. named.Select(queue => new QueueSettings(_section, bytesInFlight, queue))];
        RabbitMqUri = configuration.GetConnectionString("RabbitMq");
        ServiceBusConnection = NullIfBlank(configuration.GetConnectionString("ServiceBus"));
        ServiceBusNamespace = NullIfBlank(configuration["ServiceBus:FullyQualifiedNamespace"]);
    }

    /// <summary>What OpenTelemetry's standard variables say.</summary>
    public OtelSettings Otel { get; }

    public WorkerOptions Worker { get; } = new();

    public HoldfastOptions Engine { get; } = new();

    /// <summary>How many threads run handlers.</summary>
    public int Threads => Engine.SingleThread ? 1 : Engine.Threads ?? CpuQuota.WorkerThreads;

    /// <summary>Every queue that is consumed.</summary>
    public IReadOnlyList<QueueSettings> Queues { get; }

    /// <summary>Who handles the messages, for a person to read.</summary>
    public string Handlers => string.Join(", ", Queues.Select(queue => queue.Handling.Handler).Distinct(StringComparer.OrdinalIgnoreCase));

    public string? RabbitMqUri { get; }

    public string? ServiceBusConnection { get; }

    public string? ServiceBusNamespace { get; }

    /// <summary>The broker for a person to read: its name, and where it is.</summary>
    public string Broker =>
        Worker.Uses("RabbitMq") ? $"{Worker.Broker} at {ServerAddress.Parse(RabbitMqUri!)}"
        : Worker.Uses("ServiceBus") ? $"{Worker.Broker} at {ServiceBusNamespace ?? ConnectionText.Parse(ServiceBusConnection!).Address.ToString()}"
        : Worker.Broker;

    /// <summary>When the broker lets us in no longer, where somebody else has signed until when.</summary>
    public DateTimeOffset? AccessEndsAt => Worker.Uses("ServiceBus") && ServiceBusConnection is { } text ? ConnectionText.Parse(text).Signature?.Expires : null;

    /// <summary>All that RabbitMQ's own part must know.</summary>
    public RabbitMqBrokerOptions RabbitMq(TimeProvider time) => Worker.RabbitMq.With(RabbitMqUri!, Queues[0].Options.Retry, time);

    /// <summary>All that Service Bus's own part must know.</summary>
    public ServiceBusBrokerOptions ServiceBus(TimeProvider time) =>
        Worker.ServiceBus.With(ServiceBusConnection, ServiceBusNamespace, ServiceBusNamespace is null ? null : new DefaultAzureCredential(), findsSessionsOut: !Worker.IsByTheMaker, time);

    /// <summary>The settings as whoever handles messages must have them.</summary>
    /// <exception cref="InvalidOptionsException">Something is wrong; it says what, all at once.</exception>
    public static WorkerSettings Read(IConfiguration configuration) => Read(configuration, HandlerRules.Broken);

    /// <summary>The settings as they do for who handles none, and only asks the broker something.</summary>
    /// <exception cref="InvalidOptionsException">Something is wrong; it says what, all at once.</exception>
    public static WorkerSettings ReadToAsk(IConfiguration configuration) => Read(configuration, _ => []);

    public void Apply(HoldfastOptions options) => _section.Fill(options);

    private static WorkerSettings Read(IConfiguration configuration, Func<WorkerSettings, IEnumerable<OptionError>> handler)
    {
        var settings = new WorkerSettings(configuration, out var otelErrors);
        OptionError[] unread =
        [
            .. settings._section.Read(settings.Worker, new HandlingOptions(), settings.Engine, new QueueOptions()),
            .. settings.Queues.SelectMany(queue => queue.Read()),
        ];
        OptionError[] errors =
        [
            .. unread,
            .. QueueRules.Broken(settings, configuration.GetSection(Section)),
            .. handler(settings),
            .. BrokerRules.Broken(settings, configuration.GetSection(Section)),
            .. Rules.Broken(settings),
            .. OptionsCheck.Of(settings.Engine),
            .. ManagementPort.Broken(configuration),
            .. LogRules.Broken(configuration.GetSection("Logging")),
            .. FileRules.Broken(configuration),
            .. otelErrors,
        ];

        // What is set for all queues is found wrong once for each.
        return errors.Length == 0 ? settings : throw new InvalidOptionsException([.. errors.Distinct()]);
    }

    private static string? NullIfBlank(string? value) => string.IsNullOrWhiteSpace(value) ? null : value;
}
