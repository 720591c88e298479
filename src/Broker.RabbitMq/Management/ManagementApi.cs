using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Asks the server's management API for what AMQP does not tell.</summary>
internal sealed class ManagementApi : IDisposable
{
    private const string Setting = "Worker__RabbitMq__ManagementUri";

    private readonly ManagementAddress _address;
    private readonly HttpClient _http;

    public ManagementApi(ManagementAddress address, HttpMessageHandler? handler = null)
    {
        _address = address;
        _http = new HttpClient(handler ?? new SocketsHttpHandler()) { Timeout = TimeSpan.FromSeconds(5) };
        _http.DefaultRequestHeaders.Authorization =
            new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes($"{address.User}:{address.Password}")));
    }

    /// <summary>How long this queue lets a delivery stay unacknowledged; null where neither its arguments nor its policy say.</summary>
    /// <exception cref="BrokerException">There was no answer, or none that tells.</exception>
    public async Task<TimeSpan?> ConsumerTimeoutAsync(string virtualHost, string queue, CancellationToken cancel)
    {
        try
        {
            using var answer = await _http.GetAsync(_address.Queue(virtualHost, queue), cancel).ConfigureAwait(false);
            if (answer.IsSuccessStatusCode)
                return Timeout(await answer.Content.ReadAsByteArrayAsync(cancel).ConfigureAwait(false));
            throw Refused(answer.StatusCode, virtualHost, queue);
        }
        catch (HttpRequestException problem)
        {
            throw Problem($"can't be reached ({Line(problem.InnerException?.Message ?? problem.Message)})", isTransient: true, problem);
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

    public void Dispose() => _http.Dispose();

    // Where both are set, the smaller one is never wrong.
    private static TimeSpan? Timeout(byte[] body)
    {
        using var document = JsonDocument.Parse(body);
        var queue = document.RootElement;
        if (queue.ValueKind != JsonValueKind.Object)
            throw new JsonException();

        var argument = Milliseconds(queue, "arguments", "x-consumer-timeout");
        var policy = Milliseconds(queue, "effective_policy_definition", "consumer-timeout");
        return argument is null || policy < argument ? policy : argument;
    }

    // Without any, some versions of the server send an empty array.
    private static TimeSpan? Milliseconds(JsonElement queue, string part, string name) =>
        queue.TryGetProperty(part, out var settings)
        && settings.ValueKind == JsonValueKind.Object
        && settings.TryGetProperty(name, out var value)
        && value.ValueKind == JsonValueKind.Number
        && value.TryGetInt64(out var milliseconds)
        && milliseconds is > 0 and <= int.MaxValue
            ? TimeSpan.FromMilliseconds(milliseconds)
            : null;

    private BrokerException Refused(HttpStatusCode status, string virtualHost, string queue) => status switch
    {
        HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden =>
            Problem($"refused user '{_address.User}' (it must know the password, and the user must have the tag management)", isTransient: false),
        HttpStatusCode.NotFound => Problem($"has no queue '{queue}' in virtual host '{virtualHost}'", isTransient: false),
        >= HttpStatusCode.InternalServerError or HttpStatusCode.TooManyRequests => Problem($"answered {(int)status} {status}", isTransient: true),
        _ => Problem($"answered {(int)status} {status}, not like RabbitMQ's management API", isTransient: false),
    };

    private BrokerException Problem(string what, bool isTransient, Exception? cause = null) =>
        new($"The management API at {_address} {what}. Check {Setting}, or leave it out.", isTransient, cause);

    private static string Line(string text) => text.ReplaceLineEndings(" ").TrimEnd('.', ' ');
}
