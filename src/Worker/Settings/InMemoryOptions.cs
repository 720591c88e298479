namespace Holdfast.Worker.Settings;

/// <summary>How the embedded broker behaves.</summary>
internal sealed class InMemoryOptions
{
    public TimeSpan LockDuration { get; set; } = TimeSpan.FromSeconds(30);

    public int MaxDeliveries { get; set; } = 10;
}
