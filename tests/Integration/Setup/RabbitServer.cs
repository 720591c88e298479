using Holdfast.Tests.Integration;

[assembly: AssemblyFixture(typeof(RabbitServer))]

namespace Holdfast.Tests.Integration;

/// <summary>
/// The RabbitMQ server that all tests share: the first that there is of the one named in TEST_RABBITMQ_URI, a container of Testcontainers (where the build
/// has them), a container by the docker command line, and a private node.
/// Without any, tests are skipped; but where CI is true they fail, for there nobody would notice.
/// </summary>
public sealed partial class RabbitServer : IAsyncLifetime
{
    private Func<ValueTask>? _stopContainer;
    private RabbitNode? _node;
    private RabbitManagement? _management;
    private string _uri = "";
    private string? _missing;

    public string ManagementUri { get; private set; } = "";

    public RabbitManagement Management => _management ?? throw new InvalidOperationException("There is no server.");

    /// <summary>The server, where it is a private node: only there may a test do everything.</summary>
    public RabbitNode Node => _node ?? throw new InvalidOperationException("This server is not a private one.");

    public async ValueTask InitializeAsync()
    {
        if (Environment.GetEnvironmentVariable("TEST_RABBITMQ_URI") is { Length: > 0 } uri)
            Use(uri, Environment.GetEnvironmentVariable("TEST_RABBITMQ_MANAGEMENT_URI") is { Length: > 0 } management ? management : ManagementOf(uri));
        else if (await UseTestcontainerAsync())
            _missing = null;
        else if (await RabbitContainer.FindImageAsync() is { } image)
            await UseContainerAsync(image);
        else if (RabbitNode.IsInstalled)
            await UseNodeAsync();
        else
            _missing = $"{RabbitNode.HowToInstall} Or name a server in TEST_RABBITMQ_URI, or have a Docker engine with an image rabbitmq:4-management.";

        if (_missing is null && !await Management.AnswersAsync())
            throw new InvalidOperationException("The management API of the RabbitMQ server in TEST_RABBITMQ_URI does not answer; name it in TEST_RABBITMQ_MANAGEMENT_URI.");
    }

    public async ValueTask DisposeAsync()
    {
        _management?.Dispose();
        if (_stopContainer is not null)
            await _stopContainer();
        if (_node is not null)
            await _node.DisposeAsync();
    }

    /// <summary>The URI of a virtual host; through another port of this machine where a proxy stands in between.</summary>
    public string UriOf(string vhost, int? port = null)
    {
        var uri = new UriBuilder(_uri) { Path = Uri.EscapeDataString(vhost) };
        if (port is { } through)
            (uri.Host, uri.Port) = ("127.0.0.1", through);
        return uri.Uri.AbsoluteUri;
    }

    /// <summary>A proxy in front of it.</summary>
    public TcpProxy NewProxy()
    {
        var uri = new Uri(_uri);
        return new TcpProxy(uri.Host, uri.Port > 0 ? uri.Port : 5672);
    }

    /// <summary>Whether it is a private node.</summary>
    public bool HasNode => _node is not null;

    public bool IsThere => _missing is null;

    /// <summary>Skips the test where there is no server.</summary>
    public void IsNeeded() => Need(_missing is null, _missing ?? "");

    /// <summary>Skips the test where the server is not ours to break.</summary>
    public void NodeIsNeeded()
    {
        IsNeeded();
        Assert.SkipUnless(_node is not null, "Only a private node can be broken like this.");
    }

    /// <summary>Skips the test where there is a reason to; but where CI is true it fails.</summary>
    internal static void Need(string? whyMissing) => Need(whyMissing is null, whyMissing ?? "");

    private static void Need(bool isThere, string reason)
    {
        if (!isThere && Environment.GetEnvironmentVariable("CI") == "true")
            Assert.Fail(reason);
        Assert.SkipUnless(isThere, reason);
    }

    private static string ManagementOf(string uri)
    {
        var server = new UriBuilder(uri);
        return new UriBuilder("http", server.Host, 15672) { UserName = server.UserName, Password = server.Password }.Uri.AbsoluteUri;
    }

    private async Task<bool> UseTestcontainerAsync()
    {
        var isUp = Task.FromResult(false);
        UseTestcontainer(ref isUp);
        return await isUp;
    }

    // In a build without the official packages there are none.
    partial void UseTestcontainer(ref Task<bool> isUp);

    private async Task UseContainerAsync(string image)
    {
        var container = await RabbitContainer.StartAsync(image);
        _stopContainer = container.DisposeAsync;
        Use(container.Uri, container.ManagementUri);
    }

    private async Task UseNodeAsync()
    {
        _node = new RabbitNode();
        await _node.StartAsync();
        Use(_node.UriOf(), _node.ManagementUri);
    }

    private void Use(string uri, string managementUri)
    {
        (_uri, ManagementUri) = (uri, managementUri);
        _management = new RabbitManagement(managementUri);
    }
}
