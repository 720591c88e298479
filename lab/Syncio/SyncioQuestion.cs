namespace Holdfast.Lab.Syncio;

/// <summary>Handlers that block their thread or await, so many at once, and for how long that is watched.</summary>
internal sealed record SyncioQuestion(Runner Runner, bool IsBlocking, int AtOnce, double WaitSeconds, double WindowSeconds)
{
    public const int WideThreads = 400;

    public TimeSpan Wait => TimeSpan.FromSeconds(WaitSeconds);

    public TimeSpan Window => TimeSpan.FromSeconds(WindowSeconds);
}
