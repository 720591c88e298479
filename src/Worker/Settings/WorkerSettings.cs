using Azure.Identity;
using Holdfast.Broker.RabbitMq;
using Holdfast.Broker.ServiceBus;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Otlp;

namespace Holdfast.Worker.Settings;

/// <summary>All that the configuration says, read and found right.</summary>
internal sealed class WorkerSettings
{
    /// <summary>What a setting of ours starts with where a person sets it in the environment.</summary>
    public const string Prefix = "Worker__";

    /// <summary>The full names of the settings that hold a secret, and so do not begin as the others do.</summary>
    public const string RabbitMqSetting = "ConnectionStrings__RabbitMq";
    public const string ServiceBusSetting = "ConnectionStrings__ServiceBus";

    /// <summary>What stands in its place where there is no secret; people know it by this name from Azure's own tools.</summary>
    public const string ServiceBusNamespaceSetting = "ServiceBus__FullyQualifiedNamespace";

    private readonly SettingsSection _section;

    private WorkerSettings(IConfiguration configuration, out IReadOnlyList<OptionError> otelErrors)
    {
        Otel = OtelSettings.Read(configuration, out otelErrors);
        _section = new(configuration.GetSection("Worker"));
        RabbitMqUri = configuration.GetConnectionString("RabbitMq");
        ServiceBusConnection = NullIfBlank(configuration.GetConnectionString("ServiceBus"));
        ServiceBusNamespace = NullIfBlank(configuration["ServiceBus:FullyQualifiedNamespace"]);
    }

    /// <summary>What OpenTelemetry's standard variables say.</summary>
    public OtelSettings Otel { get; }

    public WorkerOptions Worker { get; } = new();

    public HoldfastOptions Engine { get; } = new();

    public HandlingOptions Handling { get; } = new();

    public QueueOptions Queue { get; } = new();

    /// <summary>Every queue that is consumed.</summary>
    public IReadOnlyList<QueueSettings> Queues => [new(Handling, Queue, Apply)];

    public string? RabbitMqUri { get; }

    public string? ServiceBusConnection { get; }

    public string? ServiceBusNamespace { get; }

    /// <summary>The broker for a person to read: its name, and where it is.</summary>
    public string Broker =>
        Worker.Uses("RabbitMq") ? $"{Worker.Broker} at {ServerAddress.Parse(RabbitMqUri!)}"
        : Worker.Uses("ServiceBus") ? $"{Worker.Broker} at {ServiceBusNamespace ?? ConnectionText.Parse(ServiceBusConnection!).Address.ToString()}"
        : Worker.Broker;

    /// <summary>All that RabbitMQ's own part must know.</summary>
    public RabbitMqBrokerOptions RabbitMq(TimeProvider time) => Worker.RabbitMq.With(RabbitMqUri!, Queue.Retry, time);

    /// <summary>All that Service Bus's own part must know.</summary>
    public ServiceBusBrokerOptions ServiceBus(TimeProvider time) =>
        Worker.ServiceBus.With(ServiceBusConnection, ServiceBusNamespace, ServiceBusNamespace is null ? null : new DefaultAzureCredential(), time);

    /// <exception cref="InvalidOptionsException">Something is wrong; it says what, all at once.</exception>
    public static WorkerSettings Read(IConfiguration configuration)
    {
        var settings = new WorkerSettings(configuration, out var otelErrors);
        var errors = settings._section.Read(settings.Worker, settings.Handling, settings.Engine, settings.Queue);
        errors =
        [
            .. errors,
            .. Rules.Broken(settings, configuration),
            .. OptionsCheck.Of(settings.Engine),
            .. OptionsCheck.Of(settings.Queue),
            .. ManagementPort.Broken(configuration),
            .. otelErrors,
        ];
        return errors.Count == 0 ? settings : throw new InvalidOptionsException(errors);
    }

    public void Apply(HoldfastOptions options) => _section.Fill(options);

    public void Apply(QueueOptions options) => _section.Fill(options);

    private static string? NullIfBlank(string? value) => string.IsNullOrWhiteSpace(value) ? null : value;
}
