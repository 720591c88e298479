namespace Holdfast.Consumer;

/// <summary>A wait that may be called off.</summary>
internal static class Rest
{
    /// <summary>Returns when that time has passed, or the wait was called off; no timer of it is left then.</summary>
    public static async Task ForAsync(TimeSpan time, TimeProvider clock, CancellationToken calledOff)
    {
        // A delay that is called off goes on in the pool, at no time that a run by hand could know; so its caller does not wait for that.
        var isCalledOff = new TaskCompletionSource();
        using var onCallOff = calledOff.UnsafeRegister(static source => ((TaskCompletionSource)source!).TrySetResult(), isCalledOff);
        using var inTime = new CancellationTokenSource();
        await Task.WhenAny(Task.Delay(time, clock, inTime.Token), isCalledOff.Task);
        inTime.Cancel();
    }
}
