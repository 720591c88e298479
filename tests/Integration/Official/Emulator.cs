using System.Text.Json;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Microsoft's emulator of Service Bus, with queues of its own for each test: it makes them only when it starts.</summary>
public sealed class Emulator : IAsyncLifetime
{
    // As many as it takes.
    private const int Queues = 50;

    /// <summary>How long a lock lasts in each of them.</summary>
    public static readonly TimeSpan Lock = TimeSpan.FromSeconds(10);

    private EmulatorContainers? _containers;
    private string? _whyNot;
    private int _taken;

    public async ValueTask InitializeAsync() =>
        (_containers, _whyNot) = await Engine.StartAsync(() => new EmulatorContainers(JsonSerializer.SerializeToUtf8Bytes(Config())), containers => containers.StartAsync());

    public async ValueTask DisposeAsync()
    {
        if (_containers is not null)
            await _containers.DisposeAsync();
    }

    /// <summary>Skips the test where it can't be had.</summary>
    public void IsNeeded() => Assert.SkipWhen(_containers is null, _whyNot ?? "");

    public string ConnectionString => _containers!.ConnectionString;

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
