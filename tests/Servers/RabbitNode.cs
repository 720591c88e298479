namespace Holdfast.Tests.Servers;

/// <summary>
/// A private RabbitMQ server: loopback only, with ports, folders, a password and a port mapper of its own, so that it shares nothing with any other.
/// It can be stopped or killed and started again as it was. It never outlives the process that made it.
/// </summary>
public sealed class RabbitNode : IAsyncDisposable
{
    /// <summary>The sentence for those who do not have it.</summary>
    public const string HowToInstall = "There is no RabbitMQ server on this machine; apt-get install rabbitmq-server brings one.";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);

    private readonly RabbitFolder _folder;
    private readonly RabbitCommands _commands;
    private RabbitProcess? _process;

    public RabbitNode()
    {
        var ports = LoopbackPorts.Take(6);
        Port = ports[0];
        TlsPort = ports[1];
        MetricsPort = ports[5];
        _folder = new RabbitFolder(Port, TlsPort, managementPort: ports[2], MetricsPort);
        _commands = new RabbitCommands(_folder, name: $"holdfast-{Port}@localhost", distributionPort: ports[3], portMapperPort: ports[4]);
        ManagementUri = $"http://{_folder.Login}@127.0.0.1:{ports[2]}";
        Management = new RabbitManagement(ManagementUri);
    }

    public static bool IsInstalled => RabbitCommands.Scripts is not null;

    public int Port { get; }

    public int TlsPort { get; }

    /// <summary>Where its Prometheus plugin answers.</summary>
    public int MetricsPort { get; }

    /// <summary>For amqps: what the server shows, and what its clients need.</summary>
    public Certificates Certificates => _folder.Certificates;

    /// <summary>The management API, with the password.</summary>
    public string ManagementUri { get; }

    public RabbitManagement Management { get; }

    /// <summary>The URI of a virtual host, with the password; through another port where a proxy stands in between.</summary>
    public string UriOf(string vhost = "/", int? port = null) => $"amqp://{_folder.Login}@127.0.0.1:{port ?? Port}/{Uri.EscapeDataString(vhost)}";

    public string TlsUriOf(string vhost = "/") => $"amqps://{_folder.Login}@127.0.0.1:{TlsPort}/{Uri.EscapeDataString(vhost)}";

    /// <summary>Starts the server, and returns once it takes connections.</summary>
    public async Task StartAsync()
    {
        _process = RabbitProcess.Start(_folder, _commands);
        using var patience = new CancellationTokenSource(s_patience);
        while (!await Management.ListensAsync(Port))
        {
            if (_process.HasEnded || patience.IsCancellationRequested)
                throw new InvalidOperationException($"The private RabbitMQ server {(_process.HasEnded ? "ended while it started" : "did not start")}. Its log ends with:\n{_folder.LogTail()}");
            await Task.Delay(s_pause);
        }
    }

    /// <summary>Asks the server to stop, and returns once it has. What it keeps on disk stays.</summary>
    public async Task StopAsync() => await EndAsync(process => process.StopAsync());

    /// <summary>Ends the server at once, as a crash would. What it keeps on disk stays.</summary>
    public async Task KillAsync() => await EndAsync(process => process.KillAsync());

    /// <summary>Runs <c>rabbitmqctl</c>, and returns what it wrote. It takes seconds.</summary>
    public Task<string> ControlAsync(params string[] arguments) => _commands.ControlAsync(arguments);

    public async ValueTask DisposeAsync()
    {
        await KillAsync();
        Management.Dispose();
        _folder.Delete();
    }

    private async Task EndAsync(Func<RabbitProcess, Task> end)
    {
        if (_process is null)
            return;
        await end(_process);
        _process.Dispose();
        _process = null;
    }
}
