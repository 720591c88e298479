using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Opens a connection when it is first needed, and anew once it is lost: not sooner than the backoff allows. Any thread.</summary>
internal sealed class Dialer(ServiceBusBrokerOptions options, NamespaceAddress address, ITokenSource tokens, Problems problems) : IAsyncDisposable
{
    private const string WebSocketPath = "/$servicebus/websocket";
    private const string WebSocketSubprotocol = "AMQPWSB10";

    private static readonly TimeSpan s_timeToOpen = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan s_timeToClose = TimeSpan.FromSeconds(2);

    private readonly Lock _gate = new();
    private readonly Backoff _backoff = new(Random.Shared.NextDouble);
    private readonly CancellationTokenSource _closing = new();
    private Task<Line>? _line;
    private BrokerException? _lastProblem;
    private long _notBefore;
    private bool _isClosed;

    public Problems Problems => problems;

    public TimeProvider Time => options.TimeProvider;

    public bool IsConnected => Current is not null;

    private Line? Current => Volatile.Read(ref _line) is { IsCompletedSuccessfully: true, Result: { IsOver: false } line } ? line : null;

    private TimeSpan Now => Time.GetElapsedTime(0, Time.GetTimestamp());

    /// <exception cref="BrokerException">The broker can't be reached, or refuses us; or it was so a moment ago.</exception>
    public ValueTask<Line> OpenAsync(CancellationToken cancel) =>
        Current is { } line ? ValueTask.FromResult(line) : new ValueTask<Line>(DialAsync().WaitAsync(cancel));

    public async ValueTask DisposeAsync()
    {
        Task<Line>? line;
        lock (_gate)
        {
            if (_isClosed)
                return;
            (line, _isClosed) = (_line, true);
        }

        await _closing.CancelAsync().ConfigureAwait(false);
        if (line is not null)
        {
            await ((Task)line).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (line.IsCompletedSuccessfully)
                await line.Result.CloseAsync().ConfigureAwait(false);
        }

        _closing.Dispose();
    }

    private Task<Line> DialAsync()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            if (Current is not null || _line is { IsCompleted: false })
                return _line!;
            if (_lastProblem is { } problem && Now.Ticks < _notBefore)
                return Task.FromException<Line>(new BrokerException(problem.Message, problem.IsTransient, problem));
            if (_line is { IsCompletedSuccessfully: true, Result: var over })
                over.Abort();
            return _line = ConnectAsync();
        }
    }

    private async Task<Line> ConnectAsync()
    {
        try
        {
            var line = await Line.OpenAsync(Where(), options, address, tokens, problems, _closing.Token).ConfigureAwait(false);
            lock (_gate)
            {
                _lastProblem = null;
                _backoff.Reset();
            }

            return line;
        }
        catch (Exception cause) when (cause is not OperationCanceledException || !_closing.IsCancellationRequested)
        {
            var problem = problems.Of(cause);
            lock (_gate)
            {
                _lastProblem = problem;
                _notBefore = (Now + _backoff.Next()).Ticks;
            }

            throw problem;
        }
    }

    /// <summary>How a connection is opened. Each session of the entity's is one of the connection too: of those it may have as many as the broker says.</summary>
    internal AmqpConnectionOptions Where() => new()
    {
        Host = address.Host,
        Port = address.Port(options.Transport),
        Tls = address.IsTls ? Tls() : null,
        WebSocket = options.Transport == ServiceBusTransport.WebSockets ? new() { Path = WebSocketPath, Subprotocol = WebSocketSubprotocol } : null,
        Sasl = [new SaslMechanism("MSSBCBS"), SaslMechanism.Anonymous],
        ContainerId = $"holdfast-{Environment.MachineName}-{Guid.NewGuid():N}",
        Properties = new() { ["product"] = "Holdfast" },
        ChannelMax = ushort.MaxValue,
        OpenTimeout = s_timeToOpen,
        CloseTimeout = s_timeToClose,
        Time = Time,
    };

    private SslClientAuthenticationOptions Tls()
    {
        var tls = new SslClientAuthenticationOptions { TargetHost = address.Host };
        if (options.CaFile is not { } file)
            return tls;

        var trusted = new X509Certificate2Collection();
        try
        {
            trusted.ImportFromPemFile(file);
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException or System.Security.Cryptography.CryptographicException)
        {
            throw new BrokerException($"Worker__ServiceBus__CaFile: '{file}' can't be read as certificates ({Problems.Text(problem.Message)}).", isTransient: false, problem);
        }

        tls.CertificateChainPolicy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck, DisableCertificateDownloads = true };
        tls.CertificateChainPolicy.CustomTrustStore.AddRange(trusted);
        return tls;
    }
}
