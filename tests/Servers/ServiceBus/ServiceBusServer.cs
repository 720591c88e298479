using System.Diagnostics;
using System.Security.Cryptography;

namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>
/// A private Service Bus: the broker of tests/ServiceBusBroker, on loopback ports and with a key of its own. It starts without queues.
/// It never outlives the process that made it.
/// </summary>
public sealed class ServiceBusServer : IAsyncDisposable
{
    public const string KeyName = "RootManageSharedAccessKey";

    /// <summary>The sentence for those who do not have it.</summary>
    public const string HowToInstall = "The Service Bus broker of the tests needs Node.js 18 or later, and its packages; bash .ci/install brings both.";

    private readonly ServiceBusProcess _process;
    private readonly ServiceBusPorts _ports;
    private readonly DirectoryInfo? _folder;

    private ServiceBusServer(ServiceBusProcess process, ServiceBusPorts ports, string key, Certificates? certificates, DirectoryInfo? folder)
    {
        _process = process;
        _ports = ports;
        _folder = folder;
        Key = key;
        Certificates = certificates;
        Control = new ServiceBusControl(new UriBuilder("http", "127.0.0.1", ports.Control).Uri);
    }

    public static bool IsInstalled => ServiceBusProcess.IsInstalled;

    public string Key { get; }

    public int Port => _ports.Amqp;

    /// <summary>For AMQP over TLS, where it was asked for.</summary>
    public int TlsPort => _ports.Amqps ?? throw new InvalidOperationException("This server was not asked for TLS.");

    /// <summary>For AMQP over WebSockets without TLS, where it was asked for.</summary>
    public int WebSocketPort => _ports.Ws ?? throw new InvalidOperationException("This server was not asked for WebSockets.");

    /// <summary>For AMQP over WebSockets with TLS, where both were asked for.</summary>
    public int SecureWebSocketPort => _ports.Wss ?? throw new InvalidOperationException("This server was not asked for WebSockets with TLS.");

    /// <summary>Whom to trust for TLS.</summary>
    public Certificates? Certificates { get; }

    public ServiceBusControl Control { get; }

    /// <summary>A connection string without TLS, as for Microsoft's emulator; through another port where a proxy stands in between.</summary>
    public string ConnectionString(string? entityPath = null, int? port = null, string? key = null) =>
        $"Endpoint=sb://127.0.0.1:{port ?? Port};SharedAccessKeyName={KeyName};SharedAccessKey={key ?? Key};UseDevelopmentEmulator=true{(entityPath is null ? "" : $";EntityPath={entityPath}")}";

    /// <summary>Starts the broker, and returns once it takes connections.</summary>
    public static async Task<ServiceBusServer> StartAsync(ServiceBusServerOptions? options = null)
    {
        options ??= new ServiceBusServerOptions();
        var key = Convert.ToBase64String(RandomNumberGenerator.GetBytes(32));
        var folder = options.Tls ? Directory.CreateTempSubdirectory("holdfast-servicebus-") : null;
        var certificates = folder is null ? null : Certificates.Make(folder.FullName);
        var process = ServiceBusProcess.Start([.. options.Arguments(certificates), "--key", $"{KeyName}={key}"]);
        return new ServiceBusServer(process, await process.PortsAsync(), key, certificates, folder);
    }

    /// <summary>Starts a client on Microsoft's SDK, which ends with its standard input.</summary>
    public static Process StartSdk(string program, string argument) => ServiceBusProcess.StartPeer(Path.Combine("peers", program), argument);

    /// <summary>Ends the broker, and all that it held with it.</summary>
    public async ValueTask DisposeAsync()
    {
        Control.Dispose();
        await _process.DisposeAsync();
        _folder?.Delete(recursive: true);
    }
}
