using System.Security.Cryptography;

namespace Holdfast.Tests.Servers;

/// <summary>The folder of a private server: its settings, its data and its logs.</summary>
internal sealed class RabbitFolder
{
    private const int TailLines = 30;

    private readonly string _password = RandomNumberGenerator.GetHexString(24, lowercase: true);

    public RabbitFolder(int port, int tlsPort, int managementPort, int metricsPort)
    {
        Path = Directory.CreateTempSubdirectory("holdfast-rabbit-").FullName;
        Certificates = Certificates.Make(Path);
        Write("enabled_plugins", "[rabbitmq_management,rabbitmq_amqp1_0,rabbitmq_prometheus].\n");
        Write("rabbitmq.conf", $"""
            listeners.tcp.1 = 127.0.0.1:{port}
            listeners.ssl.1 = 127.0.0.1:{tlsPort}
            ssl_options.cacertfile = {Certificates.CaFile}
            ssl_options.certfile = {Certificates.ServerFile}
            ssl_options.keyfile = {Certificates.ServerKeyFile}
            ssl_options.verify = verify_peer
            ssl_options.fail_if_no_peer_cert = false
            management.tcp.ip = 127.0.0.1
            management.tcp.port = {managementPort}
            prometheus.tcp.ip = 127.0.0.1
            prometheus.tcp.port = {metricsPort}
            default_user = tester
            default_pass = {_password}
            disk_free_limit.absolute = 10MB
            collect_statistics_interval = 1000

            """);

        // How often a channel looks whether a delivery is overdue, by default each minute: too seldom for a test.
        Write("advanced.config", "[{rabbit, [{channel_tick_interval, 1000}]}].\n");
    }

    public string Path { get; }

    public Certificates Certificates { get; }

    public string Login => $"tester:{_password}";

    public IEnumerable<(string Variable, string Value)> Environment =>
    [
        ("HOME", Path),
        ("LC_ALL", "C.UTF-8"),
        ("RABBITMQ_CONF_ENV_FILE", In("none")),
        ("RABBITMQ_CONFIG_FILE", In("rabbitmq.conf")),
        ("RABBITMQ_ADVANCED_CONFIG_FILE", In("advanced.config")),
        ("RABBITMQ_ENABLED_PLUGINS_FILE", In("enabled_plugins")),
        ("RABBITMQ_MNESIA_BASE", In("data")),
        ("RABBITMQ_LOG_BASE", In("logs")),
        ("RABBITMQ_PID_FILE", In("pid")),
    ];

    public string LogTail()
    {
        var logs = new DirectoryInfo(Path).EnumerateFiles("*.log", SearchOption.AllDirectories).OrderBy(file => file.LastWriteTimeUtc);
        return string.Join('\n', logs.SelectMany(file => File.ReadLines(file.FullName)).TakeLast(TailLines));
    }

    public void Delete()
    {
        if (Directory.Exists(Path))
            Directory.Delete(Path, recursive: true);
    }

    private string In(string name) => System.IO.Path.Combine(Path, name);

    private void Write(string name, string text) => File.WriteAllText(In(name), text);
}
