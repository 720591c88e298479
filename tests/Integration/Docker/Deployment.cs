using System.Net;
using Holdfast.Broker.RabbitMq;
using Holdfast.Tests.Servers.Docker;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration.Docker;

/// <summary>The deployment as users bring it up, from the compose file that is shipped, with workers that post their messages to a ledger.</summary>
public sealed class Deployment : IAsyncDisposable
{
    /// <summary>How many messages of the ledger's a worker holds at most.</summary>
    public const int MaxConcurrency = 32;

    public const string Orders = "orders";
    public const string Burn = "burn";

    private readonly string _ledgerNetwork = $"10.251.{Random.Shared.Next(256)}";
    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-compose-").FullName;
    private readonly List<Life> _lives = [];
    private readonly Lazy<Task> _start;
    private readonly DockerHost _docker;
    private DockerEngine? _engine;
    private ComposeProject? _project;
    private Ledger? _ledger;
    private Scrapes? _scrapes;

    public Deployment(DockerHost docker)
    {
        _docker = docker;
        _start = new(StartAsync);
    }

    /// <summary>All workers that there have been.</summary>
    internal IReadOnlyList<Life> Lives => _lives;

    /// <summary>Opens a page in the ledger for messages that are about to be sent.</summary>
    internal Page Open(string name, int count, TimeSpan work) => _ledger!.Open(name, count, work);

    /// <summary>Has so many workers run, each of them scraped at least twice. Skips the test where there is no engine.</summary>
    internal async Task<IReadOnlyList<Life>> ScaleAsync(int workers)
    {
        _engine = await _docker.WithImagesAsync();
        await _start.Value;
        await _project!.ComposeAsync("up", "--detach", "--scale", $"worker={workers}", "worker", "prometheus");
        return await MeetAsync();
    }

    /// <summary>Sends messages, many at once.</summary>
    internal async Task SendAsync(string queue, IEnumerable<string> ids)
    {
        await using var broker = new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = await BrokerUriAsync(), Declare = true });
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await Parallel.ForEachAsync(ids, new ParallelOptions { MaxDegreeOfParallelism = 256 }, async (id, _) => await sender.SendAsync(id));
    }

    /// <summary>Asks a worker to stop, and waits for its end.</summary>
    internal async Task<int> StopAsync(Life life)
    {
        await _engine!.DockerAsync("stop", "--time", "60", life.Container);
        await life.EndAsync();
        return int.Parse(await _engine.DockerAsync("inspect", "--format", "{{.State.ExitCode}}", life.Container));
    }

    internal async Task KillAsync(Life life)
    {
        await _engine!.DockerAsync("kill", life.Container);
        life.WasKilled = true;
    }

    internal Task PauseAsync(Life life) => _engine!.DockerAsync("pause", life.Container);

    internal Task UnpauseAsync(Life life) => _engine!.DockerAsync("unpause", life.Container);

    /// <summary>Takes a worker off the network in which its broker is.</summary>
    internal Task CutAsync(Life life) => _engine!.DockerAsync("network", "disconnect", NetworkName, life.Container);

    internal async Task JoinAsync(Life life)
    {
        // Prometheus finds it by the service's name.
        await _engine!.DockerAsync("network", "connect", "--alias", "worker", NetworkName, life.Container);
        await NoteAddressesAsync(life);
    }

    /// <summary>Lets a worker have no more than so many hundredths of a core; null lifts the limit.</summary>
    internal Task LimitCpuAsync(Life life, int? percent) =>
        _engine!.DockerAsync("update", "--cpu-period", "100000", "--cpu-quota", percent is { } limit ? $"{limit * 1000}" : "-1", life.Container);

    internal async Task RestartBrokerAsync() => await _project!.ComposeAsync("restart", "rabbitmq");

    /// <summary>Starts the container of a worker that has ended.</summary>
    internal async Task<Life> StartAgainAsync(Life life)
    {
        await _engine!.DockerAsync("start", life.Container);
        return (await MeetAsync()).Single(started => started.Container == life.Container);
    }

    /// <summary>How many messages all queues keep, waiting or handed out.</summary>
    internal async Task<long> MessagesAsync()
    {
        // These numbers know of what is handed out as well, but a quorum queue writes them down only every five seconds.
        var listed = await _project!.ComposeAsync("exec", "-T", "rabbitmq", "rabbitmqctl", "--quiet", "list_queues", "--no-table-headers", "name", "messages");
        var queues = listed.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split('\t')).ToDictionary(line => line[0], line => long.Parse(line[1]));

        // So what has come meanwhile, such as a dead letter, is asked of the queue itself.
        return await OnChannelAsync(async channel =>
        {
            var messages = 0L;
            foreach (var (queue, written) in queues)
                messages += Math.Max(written, (await channel.QueueDeclarePassiveAsync(queue)).MessageCount);
            return messages;
        });
    }

    /// <summary>Forgets what waits in a queue, and tells how much that was.</summary>
    internal Task<uint> PurgeAsync(string queue) => OnChannelAsync(channel => channel.QueuePurgeAsync(queue));

    /// <summary>What Prometheus knows last of each worker that was not killed: for each, the misses in its log and those that were scraped.</summary>
    internal async Task<IReadOnlyList<(Life Life, int Logged, long? Scraped)>> MissesAsync()
    {
        var seen = await SeenAsync();
        return [.. _lives.Where(life => !life.WasKilled).Select(life => (life, life.Misses, seen[life].MaxBy(scrape => scrape.At)?.Misses))];
    }

    public async ValueTask DisposeAsync()
    {
        _lives.ForEach(life => life.Dispose());
        _scrapes?.Dispose();
        if (_ledger is not null)
            await _ledger.DisposeAsync();
        if (_project is not null)
            await _project.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    private string NetworkName => $"{_project!.Name}_default";

    private async Task<string> BrokerUriAsync() => $"amqp://holdfast:{ShippedCompose.Password}@{await _project!.AddressAsync("rabbitmq", 5672)}/";

    private async Task<T> OnChannelAsync<T>(Func<IChannel, Task<T>> act)
    {
        await using var connection = await new ConnectionFactory { Uri = new Uri(await BrokerUriAsync()) }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        return await act(channel);
    }

    private async Task StartAsync()
    {
        var config = Path.Combine(_folder, "prometheus.yml");
        File.WriteAllText(config, File.ReadAllText(SourceTree.Find("grafana/prometheus/prometheus.yml")).Replace("15s", "1s", StringComparison.Ordinal));
        _project = ShippedCompose.On(_engine!, "tests/Integration/Docker/compose.yml", new Dictionary<string, string>
        {
            ["LEDGER_NETWORK"] = _ledgerNetwork,
            ["PROMETHEUS_CONFIG"] = config,
        });
        await _project.ComposeAsync("up", "--detach", "worker", "prometheus");
        _ledger = await Ledger.StartAsync(IPAddress.Parse($"{_ledgerNetwork}.1"));
        _scrapes = new Scrapes(await _project.AddressAsync("prometheus", 9090));
    }

    private async Task<IReadOnlyList<Life>> MeetAsync()
    {
        List<Life> running = [];
        foreach (var container in await _project!.ContainersAsync("worker"))
        {
            var startedAt = DateTimeOffset.Parse(await _engine!.DockerAsync("inspect", "--format", "{{.State.StartedAt}}", container));
            if (_lives.Find(known => known.Container == container && known.StartedAt == startedAt) is not { } life)
            {
                life = new Life(container, startedAt, _engine.Command("docker", "logs", "--follow", "--since", $"{startedAt:O}", container));
                _lives.Add(life);
            }

            await NoteAddressesAsync(life);
            running.Add(life);
        }

        // A first scrape tells nothing of when the next one may come, and a worker that stops would not wait for it.
        await Eventually.HoldsAsync($"{running.Count} workers to be scraped", async () =>
        {
            var seen = await SeenAsync();
            return running.TrueForAll(life => seen[life].Any(scrape => scrape.Times > 1));
        });
        return running;
    }

    private async Task NoteAddressesAsync(Life life)
    {
        var addresses = await _engine!.DockerAsync("inspect", "--format", "{{range .NetworkSettings.Networks}}{{println .IPAddress}}{{end}}", life.Container);
        life.Addresses.UnionWith(addresses.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    // An address may be given to the next one, so of those that have had it, it is the one that was started about then.
    private async Task<ILookup<Life, Seen>> SeenAsync() =>
        (await _scrapes!.LastAsync()).ToLookup(scrape => _lives.Where(life => life.Addresses.Contains(scrape.Address)).MinBy(life => (life.StartedAt - scrape.StartedAt).Duration())!);
}
