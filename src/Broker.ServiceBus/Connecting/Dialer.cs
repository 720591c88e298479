using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Opens a connection when it is first needed, and anew once it is lost: not sooner than the backoff allows. Any thread.</summary>
internal sealed class Dialer : IAsyncDisposable
{
    private const string WebSocketPath = "/$servicebus/websocket";
    private const string WebSocketSubprotocol = "AMQPWSB10";

    private static readonly TimeSpan s_timeToOpen = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan s_timeToClose = TimeSpan.FromSeconds(2);

    private readonly ServiceBusBrokerOptions _options;
    private readonly NamespaceAddress _address;
    private readonly ITokenSource _tokens;
    private readonly Backoff _backoff = new(Random.Shared.NextDouble);
    private readonly CancellationTokenSource _closing = new();
    private readonly Kept<Line> _line;
    private BrokerException? _lastProblem;
    private TimeSpan _notBefore;
    private bool _isClosed;

    public Dialer(ServiceBusBrokerOptions options, NamespaceAddress address, ITokenSource tokens, Problems problems)
    {
        (_options, _address, _tokens, Problems) = (options, address, tokens, problems);
        _line = new(ConnectAsync, line => line.IsOver);
    }

    public Problems Problems { get; }

    public TimeProvider Time => _options.TimeProvider;

    public bool IsConnected => Current is not null;

    private Line? Current => _line.Opened is { IsOver: false } line ? line : null;

    private TimeSpan Now => Time.GetElapsedTime(0, Time.GetTimestamp());

    /// <exception cref="BrokerException">The broker can't be reached, or refuses us; or it was so a moment ago.</exception>
    public ValueTask<Line> OpenAsync(CancellationToken cancel) =>
        Current is { } line ? ValueTask.FromResult(line) : new ValueTask<Line>(_line.OpenAsync().WaitAsync(cancel));

    /// <summary>
    /// What has ended a link of an entity. Where the broker lets us use that no longer, the next link begins with a new token; and a token that is over
    /// is its word for one that was to be renewed: why it could not be is told instead.
    /// </summary>
    public BrokerException Explain(Exception problem, EntityName entity)
    {
        if (problem is AmqpException { Condition.Value: Conditions.Unauthorized })
            problem = Current?.Forget(entity) ?? problem;
        return Problems.Of(problem, entity);
    }

    /// <inheritdoc cref="Line.ObstacleOf"/>
    public string? ObstacleOf(EntityName entity) => Current?.ObstacleOf(entity);

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isClosed, true))
            return;

        // From now on none is opened: this is the one there is, or how its opening ended.
        await _closing.CancelAsync().ConfigureAwait(false);
        var line = _line.OpenAsync();
        await ((Task)line).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (line.IsCompletedSuccessfully)
            await line.Result.CloseAsync().ConfigureAwait(false);
        _closing.Dispose();
    }

    /// <summary>How a connection is opened. Each link has an AMQP session of its own, so there is no limit of ours to those: the broker's counts.</summary>
    internal AmqpConnectionOptions ConnectionOptions() => new()
    {
        Host = _address.Host,
        Port = _address.Port(_options.Transport),
        Tls = _address.IsTls ? Tls() : null,
        WebSocket = _options.Transport == ServiceBusTransport.WebSockets ? new() { Path = WebSocketPath, Subprotocol = WebSocketSubprotocol } : null,
        Sasl = [new SaslMechanism("MSSBCBS"), SaslMechanism.Anonymous],
        ContainerId = $"holdfast-{Environment.MachineName}-{Guid.NewGuid():N}",
        Properties = new() { ["product"] = "Holdfast" },
        ChannelMax = ushort.MaxValue,
        OpenTimeout = s_timeToOpen,
        CloseTimeout = s_timeToClose,
        Time = Time,
    };

    // One attempt at a time.
    private async Task<Line> ConnectAsync(Line? over)
    {
        over?.Abort();
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isClosed), this);
        if (_lastProblem is { } last && Now < _notBefore)
            throw Problems.Of(last);
        try
        {
            var line = await Line.OpenAsync(ConnectionOptions(), _options, _address, _tokens, Problems, _closing.Token).ConfigureAwait(false);
            _lastProblem = null;
            _backoff.Reset();
            return line;
        }
        catch (Exception cause) when (cause is not OperationCanceledException || !_closing.IsCancellationRequested)
        {
            var problem = Problems.Of(cause);
            (_lastProblem, _notBefore) = (problem, Now + _backoff.Next());
            throw problem;
        }
    }

    private SslClientAuthenticationOptions Tls()
    {
        var tls = new SslClientAuthenticationOptions { TargetHost = _address.Host };
        if (_options.CaFile is not { } file)
            return tls;

        tls.CertificateChainPolicy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck, DisableCertificateDownloads = true };
        try
        {
            tls.CertificateChainPolicy.CustomTrustStore.AddRange(Authorities.Read(file));
        }
        catch (FormatException wrong)
        {
            throw new BrokerException($"Worker__ServiceBus__CaFile: {wrong.Message}", isTransient: false, wrong);
        }

        return tls;
    }
}
