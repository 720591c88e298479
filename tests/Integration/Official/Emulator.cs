using System.Text.Json;
using Testcontainers.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Microsoft's emulator of Service Bus, with queues of its own for each test: it makes them only when it starts. Who runs it accepts its licence.</summary>
public sealed class Emulator : IAsyncLifetime
{
    private const string Image = "mcr.microsoft.com/azure-messaging/servicebus-emulator:1.1.2";

    // As many as it takes.
    private const int Queues = 50;

    /// <summary>How long a lock lasts in each of them.</summary>
    public static readonly TimeSpan Lock = TimeSpan.FromSeconds(10);

    private readonly string _config = Path.Combine(Path.GetTempPath(), $"holdfast-emulator-{Guid.NewGuid():N}.json");
    private ServiceBusContainer? _container;
    private string? _whyNot;
    private int _taken;

    public async ValueTask InitializeAsync()
    {
        await File.WriteAllTextAsync(_config, JsonSerializer.Serialize(Config()));
        (_container, _whyNot) = await Engine.StartAsync(
            () => new ServiceBusBuilder(Image).WithAcceptLicenseAgreement(true).WithConfig(_config).Build(),
            container => container.StartAsync());
    }

    public async ValueTask DisposeAsync()
    {
        if (_container is not null)
            await _container.DisposeAsync();
        File.Delete(_config);
    }

    /// <summary>Skips the test where it can't be had.</summary>
    public void IsNeeded() => Assert.SkipWhen(_container is null, _whyNot ?? "");

    public string ConnectionString => _container!.GetConnectionString().Replace("Endpoint=amqp://", "Endpoint=sb://", StringComparison.Ordinal);

    /// <summary>A queue that no other test uses.</summary>
    public string TakeQueue() => NameOf(Interlocked.Increment(ref _taken));

    private static string NameOf(int number) => $"queue-{number}";

    private static object Config() => new
    {
        UserConfig = new
        {
            Namespaces = new[]
            {
                new
                {
                    Name = "sbemulatorns",
                    Queues = Enumerable.Range(1, Queues).Select(number => new { Name = NameOf(number), Properties = Properties() }),
                    Topics = Array.Empty<object>(),
                },
            },
            Logging = new { Type = "Console" },
        },
    };

    private static object Properties() => new
    {
        DeadLetteringOnMessageExpiration = false,
        DefaultMessageTimeToLive = "PT1H",
        DuplicateDetectionHistoryTimeWindow = "PT20S",
        ForwardDeadLetteredMessagesTo = "",
        ForwardTo = "",
        LockDuration = $"PT{Lock.TotalSeconds}S",
        MaxDeliveryCount = 10,
        RequiresDuplicateDetection = false,
        RequiresSession = false,
    };
}
