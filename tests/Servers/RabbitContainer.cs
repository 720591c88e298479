using System.Diagnostics;

namespace Holdfast.Tests.Servers;

/// <summary>A RabbitMQ server in a container of our own, from an image that is on this machine. It does not outlive the process that made it.</summary>
public sealed class RabbitContainer : IAsyncDisposable
{
    private const string Keeper = """
        docker run --rm --name "$NAME" -e RABBITMQ_DEFAULT_USER=tester -e RABBITMQ_DEFAULT_PASS -p 127.0.0.1::5672 -p 127.0.0.1::15672 "$IMAGE" >/dev/null 2>&1 </dev/null &
        cat >/dev/null
        docker rm --force --volumes "$NAME" >/dev/null 2>&1
        """;

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(200);

    private readonly string _name = $"holdfast-{Guid.NewGuid():N}";
    private readonly string _password = $"{Guid.NewGuid():N}";
    private readonly Process _keeper;

    private RabbitContainer(string image)
    {
        var start = new ProcessStartInfo("setsid", ["sh", "-c", Keeper]) { RedirectStandardInput = true };
        (start.Environment["NAME"], start.Environment["RABBITMQ_DEFAULT_PASS"], start.Environment["IMAGE"]) = (_name, _password, image);
        _keeper = Process.Start(start)!;
    }

    /// <summary>An amqp URI without a virtual host.</summary>
    public string Uri { get; private set; } = "";

    public string ManagementUri { get; private set; } = "";

    /// <summary>The first image with a management API that is here; null where there is none, or no engine that answers. Pulls nothing.</summary>
    public static async Task<string?> FindImageAsync()
    {
        var images = await DockerAsync("image", "ls", "--format", "{{.Repository}}:{{.Tag}}", "--filter", "reference=rabbitmq:*-management");
        return images?.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).FirstOrDefault();
    }

    /// <summary>Starts a server, and returns once it takes connections.</summary>
    public static async Task<RabbitContainer> StartAsync(string image)
    {
        var container = new RabbitContainer(image);
        using var patience = new CancellationTokenSource(s_patience);
        while (!await container.IsUpAsync())
        {
            if (patience.IsCancellationRequested)
            {
                await container.DisposeAsync();
                throw new InvalidOperationException($"The container of {image} did not start.");
            }

            await Task.Delay(s_pause);
        }

        return container;
    }

    public async ValueTask DisposeAsync()
    {
        _keeper.StandardInput.Close();
        await _keeper.WaitForExitAsync();
        _keeper.Dispose();
    }

    private async Task<bool> IsUpAsync()
    {
        if (await AddressAsync(5672) is not { } address || await AddressAsync(15672) is not { } management)
            return false;

        Uri = $"amqp://tester:{_password}@{address}";
        ManagementUri = $"http://tester:{_password}@{management}";
        using var api = new RabbitManagement(ManagementUri);
        return await api.ListensAsync(5672);
    }

    private async Task<string?> AddressAsync(int port) => (await DockerAsync("port", _name, $"{port}/tcp"))?.Split('\n')[0].Trim();

    private static async Task<string?> DockerAsync(params string[] arguments)
    {
        try
        {
            return await new ProcessStartInfo("docker", arguments).RunAsync() is { Code: 0, Output: var output } ? output : null;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }
}
