namespace Holdfast.Tests.Integration;

/// <summary>Waits for what a real server does in its own time.</summary>
internal static class Eventually
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);

    /// <summary>Asks again and again until it holds, or patience runs out.</summary>
    /// <param name="what">What is waited for, such as "the queue to be empty".</param>
    /// <param name="holds">Whether it holds now.</param>
    public static Task HoldsAsync(string what, Func<Task<bool>> holds) => HoldsAsync(() => what, holds);

    /// <summary>The same, where only the end of patience shows what was waited for.</summary>
    public static async Task HoldsAsync(Func<string> what, Func<Task<bool>> holds)
    {
        using var patience = new CancellationTokenSource(s_patience);
        while (!await holds())
        {
            if (patience.IsCancellationRequested)
                Assert.Fail($"Waited {s_patience.TotalSeconds:0} s in vain for {what()}.");
            await Task.Delay(s_pause);
        }
    }

    /// <summary>Tries again for as long as the broker says that time may heal it.</summary>
    public static Task SucceedsAsync(string what, Func<Task> attempt) => HoldsAsync(what, async () =>
    {
        try
        {
            await attempt();
            return true;
        }
        catch (BrokerException problem) when (problem.IsTransient)
        {
            return false;
        }
    });

    public static Task HoldsAsync(string what, Func<bool> holds) => HoldsAsync(what, () => Task.FromResult(holds()));
}
