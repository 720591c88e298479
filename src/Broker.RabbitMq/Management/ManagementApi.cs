using System.Net;
using System.Net.Http.Headers;
using System.Security.Authentication;
using System.Text;
using System.Text.Json;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Asks the server's management API for what AMQP does not tell.</summary>
internal sealed class ManagementApi : IDisposable
{
    /// <summary>What names its address.</summary>
    public const string Setting = "Worker__RabbitMq__ManagementUri";

    private const int LargestAnswer = 4 * 1024 * 1024;

    private readonly ManagementAddress _address;
    private readonly HttpClient _http;

    public ManagementApi(ManagementAddress address, HttpMessageHandler connections)
    {
        _address = address;
        _http = new HttpClient(connections) { Timeout = TimeSpan.FromSeconds(5), MaxResponseContentBufferSize = LargestAnswer };
        _http.DefaultRequestHeaders.Authorization =
            new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes($"{address.User}:{address.Password}")));
    }

    /// <summary>The one that the options name; null where they name none.</summary>
    /// <exception cref="FormatException">Its address can't be read.</exception>
    public static ManagementApi? Of(RabbitMqBrokerOptions options)
    {
        if (options.ManagementUri is not { } uri)
            return null;
        var address = ManagementAddress.Parse(uri);
        return new(address, Connections(address, options));
    }

    /// <summary>What it tells of a queue.</summary>
    /// <exception cref="BrokerException">There was no answer, or none that tells.</exception>
    public Task<QueueReport> ReportAsync(string virtualHost, string queue, CancellationToken cancel) =>
        AskAsync(_address.Queue(virtualHost, queue), virtualHost, $"queue '{queue}'", QueueReport.Parse, cancel);

    /// <summary>What it tells of the queues whose names are like that, up to 500 of them.</summary>
    /// <inheritdoc cref="ReportAsync"/>
    public Task<QueueReport[]> ReportsAsync(string virtualHost, string pattern, CancellationToken cancel) =>
        AskAsync(
            _address.Queues(virtualHost, pattern),
            virtualHost,
            $"queue '{pattern}'",
            (answer, time) => answer.ValueKind == JsonValueKind.Object && answer.TryGetProperty("items", out var queues) && queues.ValueKind == JsonValueKind.Array
                ? queues.EnumerateArray().Select(queue => QueueReport.Parse(queue, time)).ToArray()
                : throw new JsonException(),
            cancel);

    /// <summary>What it tells of an exchange, and of what that is bound to.</summary>
    /// <inheritdoc cref="ReportAsync"/>
    public async Task<ExchangeReport> ExchangeAsync(string virtualHost, string exchange, CancellationToken cancel)
    {
        var named = $"exchange '{exchange}'";
        var type = await AskAsync(_address.Exchange(virtualHost, exchange), virtualHost, named, (answer, _) => ExchangeReport.ParseType(answer), cancel).ConfigureAwait(false);
        return new(type, await AskAsync(_address.Bindings(virtualHost, exchange), virtualHost, named, (answer, _) => ExchangeReport.ParseBindings(answer), cancel).ConfigureAwait(false));
    }

    /// <summary>Whether the problem is that it knows of nothing by that name.</summary>
    public static bool IsMissing(BrokerException problem) => problem.InnerException is HttpRequestException { StatusCode: HttpStatusCode.NotFound };

    public void Dispose() => _http.Dispose();

    private async Task<T> AskAsync<T>(Uri address, string virtualHost, string named, Func<JsonElement, DateTimeOffset?, T> read, CancellationToken cancel)
    {
        try
        {
            using var answer = await _http.GetAsync(address, cancel).ConfigureAwait(false);
            if (!answer.IsSuccessStatusCode)
                throw Refused(answer.StatusCode, virtualHost, named);
            using var document = JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync(cancel).ConfigureAwait(false));
            return read(document.RootElement.Clone(), answer.Headers.Date);
        }
        catch (HttpRequestException problem) when (problem.InnerException is TlsFileException file)
        {
            throw Problems.Of(file);
        }
        catch (HttpRequestException problem) when (problem.InnerException is AuthenticationException distrust)
        {
            throw Problem($"can't be trusted ({Problems.Line(distrust.Message)}). Set Worker__RabbitMq__CaFile to the authority that signed its certificate", isTransient: false, problem);
        }
        catch (HttpRequestException problem)
        {
            throw Problem($"can't be reached ({Problems.Line(problem.InnerException?.Message ?? problem.Message)})", isTransient: true, problem);
        }
        catch (OperationCanceledException late) when (!cancel.IsCancellationRequested)
        {
            throw Problem("did not answer in time", isTransient: true, late);
        }
        catch (JsonException other)
        {
            throw Problem("did not answer like RabbitMQ's management API", isTransient: false, other);
        }
    }

    // A proxy's own machine is another. Whoever trusts the server trusts this, too; the file is read anew for each connection.
    private static SocketsHttpHandler Connections(ManagementAddress address, RabbitMqBrokerOptions options) => new()
    {
        UseProxy = !address.IsLoopback,
        SslOptions = { RemoteCertificateValidationCallback = options.CaFile is null ? null : (sender, shown, sent, errors) => Tls.Read(options).Trust!(sender, shown, sent, errors) },
    };

    private BrokerException Refused(HttpStatusCode status, string virtualHost, string named) => status switch
    {
        HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden =>
            Problem($"refused user '{_address.User}' (it must know the password, and the user must have the tag management)", isTransient: false),
        HttpStatusCode.NotFound => Problem($"has no {named} in virtual host '{virtualHost}'", isTransient: false, new HttpRequestException("Not found", inner: null, status)),
        >= HttpStatusCode.InternalServerError or HttpStatusCode.TooManyRequests => Problem($"answered {(int)status} {status}", isTransient: true),
        _ => Problem($"answered {(int)status} {status}, not like RabbitMQ's management API", isTransient: false),
    };

    private BrokerException Problem(string what, bool isTransient, Exception? cause = null) =>
        new($"The management API at {_address} {what}. Check {Setting}, or leave it out.", isTransient, cause);
}
