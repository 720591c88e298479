namespace Holdfast.Lab.Awaits;

/// <summary>The seven ways to wait for a tenth of a second that were compared; wherever their awaits resume.</summary>
internal static class Methods
{
    private const int Parts = 10;
    private static readonly TimeSpan s_whole = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_part = s_whole / Parts;

    public static Task Sleep()
    {
        Thread.Sleep(s_whole);
        return Task.CompletedTask;
    }

    public static async Task SleepElsewhereAsync() => await Task.Run(() => Thread.Sleep(s_whole));

    public static async Task NestedAsync()
    {
        static async Task OuterAsync() => await InnerAsync();
        static async Task InnerAsync() => await SleepElsewhereAsync();
        await OuterAsync();
    }

    public static async Task NestedWithoutContextAsync()
    {
        static async Task OuterAsync() => await InnerAsync().ConfigureAwait(false);
        static async Task InnerAsync() => await Task.Run(() => Thread.Sleep(s_whole)).ConfigureAwait(false);
        await OuterAsync().ConfigureAwait(false);
    }

    public static async Task OneAfterAnotherAsync()
    {
        for (var i = 0; i < Parts; i++)
            await Task.Delay(s_part);
    }

    public static async Task AllMadeFirstAsync()
    {
        var delays = new Task[Parts];
        for (var i = 0; i < Parts; i++)
            delays[i] = Task.Delay(s_whole);
        await Task.WhenAll(delays);
    }

    public static async Task AllMadeInsideAsync() => await Task.WhenAll(Enumerable.Range(0, Parts).Select(async _ => await Task.Delay(s_whole)));
}
