using Holdfast.Tests.Servers.Prometheus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.Observability;

/// <summary>Real workers under load, each with a trouble of its own, all of them watched.</summary>
public sealed class Scene(RabbitServer rabbit) : IAsyncLifetime
{
    // Long enough for renewals to be late, and short enough for each five minutes, which are two and a half seconds here, to see some of those.
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(800);

    private readonly VirtualHost _vhost = new(rabbit);
    private readonly CancellationTokenSource _over = new();
    private readonly Dictionary<string, WorkerProcess> _workers = [];
    private readonly Dictionary<string, Uri> _pages = [];
    private readonly List<ServiceBusServer> _servers = [];
    private Task _stuttering = Task.CompletedTask;
    private Watch? _watch;

    internal Watch Watch => _watch!;

    /// <summary>Where each worker that still runs shows its metrics.</summary>
    public IReadOnlyCollection<Uri> Pages => [.. _pages.Where(page => page.Key != "drained").Select(page => page.Value)];

    private static string? WhyMissing => Watch.WhyMissing ?? (ServiceBusServer.IsInstalled ? null : ServiceBusServer.HowToInstall);

    /// <summary>Skips the test where its parts are missing; but where CI is true it fails.</summary>
    public void IsNeeded()
    {
        RabbitServer.Need(WhyMissing);
        rabbit.NodeIsNeeded();
    }

    public async ValueTask InitializeAsync()
    {
        if (WhyMissing is not null || !rabbit.HasNode)
            return;

        await _vhost.InitializeAsync();
        _watch = await Watch.StartAsync();
        await Eventually.HoldsAsync("the absence of any worker to be told", () => Watch.OnCall.HeardOf("HoldfastAbsent", ""));
        Watch.Prometheus.Scrape(new PrometheusTarget("rabbitmq", $"127.0.0.1:{rabbit.Node.MetricsPort}", "/metrics/per-object"));

        var (patient, fleeting) = (await ServiceBusAsync("refused", "slow"), await ServiceBusAsync("orders"));
        await patient.Control.FaultAsync(new Fault("renew-lock", FaultEffect.Fail) { Entity = "refused", Status = 410, Condition = "com.microsoft:message-lock-lost" });
        await Task.WhenAll(
            StartAsync("refused", [.. On(patient, "refused"), .. Handler(turns: 2, io: 4000), .. Load(5)]),
            StartAsync("slow", [.. On(patient, "slow"), .. Handler(turns: 2, io: 2500), .. Load(4)]),
            StartAsync("cut", [.. On(fleeting, "orders"), .. Handler(turns: 1, io: 500), .. Load(5)]),
            StartAsync("rabbit", [.. OnRabbit(), .. Handler(turns: 1, io: 30_000), .. Load(3)]),
            StartAsync("full", [.. Handler(turns: 1, io: 200), .. Load(60), .. Room(4)]),
            StartAsync("blocked", [.. Handler(turns: 1, cpu: 600_000), .. Load(20), .. Room(8), ("Worker__Demo__Blocking", "true"), ("Worker__MaxSpareThreads", "4")]),
            StartAsync("stuttering", [.. Handler(turns: 3, io: 4000), .. Load(40), .. Room(100), ("Worker__InMemory__LockDuration", "00:00:06")]),
            StartAsync("drained", [.. Handler(turns: 1, io: 600_000), .. Load(5), ("Worker__DrainTimeout", "00:00:01")]));

        _stuttering = StutterAsync(_workers["stuttering"], _over.Token);
        await DrainAsync();
        await Watch.SeesAsync("a connection that can be cut", """holdfast_broker_connected{job="holdfast-cut"} == 1""");
        await fleeting.Control.GoAwayAsync();
        await Watch.SeesAsync("margins of yesterday", """holdfast:lease_margin:p1_of_lock{job="holdfast-slow"} offset 30s""");
        await patient.Control.FaultAsync(new Fault("renew-lock", FaultEffect.Delay) { Entity = "slow", Milliseconds = 1200 });
    }

    public async ValueTask DisposeAsync()
    {
        await _over.CancelAsync();
        await _stuttering;
        foreach (var worker in _workers.Values)
            worker.Dispose();
        foreach (var server in _servers)
            await server.DisposeAsync();
        if (_watch is not null)
            await _watch.DisposeAsync();
        await _vhost.DisposeAsync();
        _over.Dispose();
    }

    private static IEnumerable<(string, string)> On(ServiceBusServer server, string queue) =>
        [("Worker__Broker", "ServiceBus"), ("Worker__Handler", "Demo"), ("Worker__Queue", queue), ("ConnectionStrings__ServiceBus", server.ConnectionString())];

    private static IEnumerable<(string, string)> Handler(int turns, int io = 0, int cpu = 1) =>
    [
        ("Worker__Demo__Turns", $"{turns}"),
        ("Worker__Demo__IoMilliseconds", $"{io}"),
        ("Worker__Demo__CpuMilliseconds", $"{cpu}"),
    ];

    private static IEnumerable<(string, string)> Load(int messagesEachSecond) => [("Worker__Demo__Produce", $"{messagesEachSecond}")];

    private static IEnumerable<(string, string)> Room(int slots) => [("Worker__Admission", "Fixed"), ("Worker__MaxConcurrency", $"{slots}")];

    // The server lets nobody hold a message for longer than six seconds, says this worker's setting, and no handler is done by then.
    private IEnumerable<(string, string)> OnRabbit() =>
    [
        ("Worker__Broker", "RabbitMq"),
        ("Worker__Handler", "Demo"),
        ("ConnectionStrings__RabbitMq", _vhost.Uri),
        ("Worker__RabbitMq__Declare", "true"),
        ("Worker__RabbitMq__Heartbeat", "00:00:05"),
        ("Worker__RabbitMq__ConsumerTimeout", "00:00:06"),
        ("Worker__Lease__AtLimit", "DeadLetter"),
    ];

    private async Task<ServiceBusServer> ServiceBusAsync(params string[] queues)
    {
        var server = await ServiceBusServer.StartAsync();
        _servers.Add(server);
        foreach (var queue in queues)
            await server.Control.PutQueueAsync(queue, new QueueSettings { LockDuration = TimeSpan.FromSeconds(6), MaxDeliveryCount = 1000 });
        return server;
    }

    private async Task StartAsync(string trouble, IEnumerable<(string, string)> settings)
    {
        var worker = WorkerProcess.Start(
        [
            .. settings,
            ("OTEL_EXPORTER_OTLP_ENDPOINT", Watch.OnCall.Uri.AbsoluteUri),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
            ("OTEL_METRICS_EXPORTER", "none"),
        ]);
        lock (_workers)
            _workers[trouble] = worker;
        var page = await worker.StatusPageAsync();
        lock (_pages)
            _pages[trouble] = page;
        Watch.Prometheus.Scrape(new PrometheusTarget($"holdfast-{trouble}", $"127.0.0.1:{page.Port}"));
    }

    private async Task DrainAsync()
    {
        await Watch.SeesAsync("a worker that can be stopped", """holdfast_leases_held{job="holdfast-drained"} > 0 and on (job) count_over_time(holdfast_drain_timeouts_total[1m]) > 2""");
        await _workers["drained"].TerminateAsync();
    }

    // What a machine does that has no CPU to give, over and over.
    private static async Task StutterAsync(WorkerProcess worker, CancellationToken over)
    {
        while (!over.IsCancellationRequested)
        {
            await worker.SignalAsync("STOP");
            await Task.Delay(s_pause, over).ContinueWith(_ => { }, TaskScheduler.Default);
            await worker.SignalAsync("CONT");
            await Task.Delay(s_pause, over).ContinueWith(_ => { }, TaskScheduler.Default);
        }
    }
}
