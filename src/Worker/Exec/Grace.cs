namespace Holdfast.Worker.Exec;

/// <summary>The time that a process is given to end by itself.</summary>
internal static class Grace
{
    /// <summary>Waits for the end, but no longer than that. Never throws: whoever waits looks for himself what has become of it.</summary>
    public static async Task AtMostAsync(this Task end, TimeSpan longest, TimeProvider time) =>
        await end.WaitAsync(longest, time).ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing);
}
