namespace Holdfast.Tests.Integration.Official;

/// <summary>Starts containers of Testcontainers on this machine's Docker engine, or tells why it can't.</summary>
internal static class Engine
{
    private const string Patience = "TESTCONTAINERS_WAIT_STRATEGY_TIMEOUT";

    /// <summary>The container, up; or null, with the reason.</summary>
    public static async Task<(T? Container, string? WhyNot)> StartAsync<T>(Func<T> build, Func<T, Task> start)
        where T : class, IAsyncDisposable
    {
        // Unless told, it waits for an hour.
        if (Environment.GetEnvironmentVariable(Patience) is null)
            Environment.SetEnvironmentVariable(Patience, "00:05:00");
        T? container = null;
        try
        {
            container = build();
            await start(container);
            return (container, null);
        }
        catch (Exception problem)
        {
            if (container is not null)
                await container.DisposeAsync();
            return (null, $"Testcontainers can't start it: {problem.Message.ReplaceLineEndings(" ")}");
        }
    }
}
