using System.Diagnostics;
using System.Text.Json;

namespace Holdfast.Tests.Servers;

/// <summary>A private AMQP 1.0 peer on an engine that is not ours: a few queues in memory, on loopback. It ends with the process that made it.</summary>
public sealed class AmqpPeer : IAsyncDisposable
{
    private const string RheaScript = "tests/Servers/Amqp/rhea-peer.mjs";
    private const string ProtonScript = "tests/Servers/Amqp/proton-peer.py";
    private const string NodeModules = "tests/ServiceBusBroker/node_modules";

    // The one that Debian's packages are for; another may come first on the PATH.
    private const string Python = "/usr/bin/python3";

    private readonly Process _process;

    private string? _folder;
    private Certificates? _certificates;

    private AmqpPeer(Process process) => _process = process;

    /// <summary>The sentence for those who can't run the peer on npm's rhea; null where it can be run.</summary>
    public static string? WhyNoRhea => Directory.Exists(SourceTree.Find(Path.Combine(NodeModules, "rhea")))
        ? null
        : "npm's rhea is not here; npm ci in tests/ServiceBusBroker brings it.";

    /// <summary>The sentence for those who can't run the peer on qpid-proton; null where it can be run.</summary>
    public static string? WhyNoProton => Directory.Exists("/usr/lib/python3/dist-packages/proton")
        ? null
        : "There is no qpid-proton for Python on this machine; apt-get install python3-qpid-proton brings it.";

    public int Port { get; private set; }

    public int TlsPort { get; private set; }

    public int WebSocketPort { get; private set; }

    /// <summary>For TLS: what the peer shows, and what its clients need.</summary>
    public Certificates Certificates => _certificates ?? throw new InvalidOperationException("This peer does without TLS.");

    /// <summary>Starts the peer on npm's rhea, and returns once it listens.</summary>
    public static Task<AmqpPeer> StartRheaAsync(params string[] arguments) => StartAsync("node", [SourceTree.Find(RheaScript), .. arguments]);

    /// <summary>The same, with a port for TLS too; where it is asked to, it lets nobody in who shows no certificate of ours.</summary>
    public static async Task<AmqpPeer> StartSecureRheaAsync(bool wantsCertificate = false, params string[] arguments)
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-amqp-").FullName;
        var certificates = Certificates.Make(folder);
        string[] asked = wantsCertificate ? ["--tls-ca", certificates.CaFile] : [];
        var peer = await StartRheaAsync(["--tls-cert", certificates.ServerFile, "--tls-key", certificates.ServerKeyFile, .. asked, .. arguments]);
        (peer._folder, peer._certificates) = (folder, certificates);
        return peer;
    }

    /// <summary>Starts the peer on qpid-proton, and returns once it listens.</summary>
    public static Task<AmqpPeer> StartProtonAsync(params string[] arguments) => StartAsync(Python, [SourceTree.Find(ProtonScript), .. arguments]);

    /// <summary>Ends it at once, as a crash would.</summary>
    public async ValueTask DisposeAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
        if (_folder is not null)
            Directory.Delete(_folder, recursive: true);
    }

    private static async Task<AmqpPeer> StartAsync(string program, string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        var process = Process.Start(start)!;
        var error = process.StandardError.ReadToEndAsync();
        if (await process.StandardOutput.ReadLineAsync() is not { } line)
            throw new InvalidOperationException($"The peer did not start: {await error}");

        using var ports = JsonDocument.Parse(line);
        return new AmqpPeer(process) { Port = Port("amqp"), TlsPort = Port("amqps"), WebSocketPort = Port("ws") };

        int Port(string name) => ports.RootElement.TryGetProperty(name, out var port) ? port.GetInt32() : 0;
    }
}
