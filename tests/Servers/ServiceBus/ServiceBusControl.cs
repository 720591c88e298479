using System.Net.Http.Json;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>What tests and benchmarks ask of the broker beside AMQP.</summary>
public sealed class ServiceBusControl : IDisposable
{
    private static readonly JsonSerializerOptions s_json = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.KebabCaseLower) },
    };

    private readonly HttpClient _http;

    internal ServiceBusControl(Uri uri) => _http = new HttpClient { BaseAddress = uri };

    /// <summary>Makes a queue, or changes its settings.</summary>
    public Task PutQueueAsync(string queue, QueueSettings? settings = null) => SendAsync(HttpMethod.Put, $"queues/{queue}", settings ?? new QueueSettings());

    public Task PutTopicAsync(string topic, QueueSettings? settings = null) => SendAsync(HttpMethod.Put, $"topics/{topic}", settings ?? new QueueSettings());

    public Task PutSubscriptionAsync(string topic, string subscription, QueueSettings? settings = null) =>
        SendAsync(HttpMethod.Put, $"topics/{topic}/subscriptions/{subscription}", settings ?? new QueueSettings());

    /// <summary>Removes a queue; its links are detached.</summary>
    public Task DeleteQueueAsync(string queue) => SendAsync(HttpMethod.Delete, $"queues/{queue}");

    /// <summary>How many messages a queue has in each state; also of <c>topic/Subscriptions/name</c>, and of a dead-letter queue.</summary>
    public async Task<QueueCounts> CountsAsync(string queue) => (await QueueAsync(queue)).Counts;

    /// <summary>A queue's messages, those that are held too, in the order of their numbers.</summary>
    public async Task<IReadOnlyList<QueuedMessage>> MessagesAsync(string queue) => (await QueueAsync(queue, "?messages")).Messages ?? [];

    /// <summary>A queue's sessions, as far as it has seen any.</summary>
    public async Task<IReadOnlyList<QueueSession>> SessionsAsync(string queue) => (await QueueAsync(queue)).Sessions ?? [];

    public async Task<ServiceBusStats> StatsAsync() => (await _http.GetFromJsonAsync<ServiceBusStats>("stats", s_json))!;

    public Task ClearStatsAsync() => SendAsync(HttpMethod.Delete, "stats");

    /// <summary>From now on an operation goes wrong, as often as the fault says.</summary>
    public Task FaultAsync(Fault fault) => SendAsync(HttpMethod.Post, "faults", fault);

    public Task ClearFaultsAsync() => SendAsync(HttpMethod.Delete, "faults");

    /// <summary>Cuts connections, sessions or links: all of them, or those of one queue. Returns how many.</summary>
    public async Task<int> CutAsync(CutLevel level, string? entity = null, string? condition = null) =>
        (await ReadAsync<CutAnswer>(HttpMethod.Post, "cut", new { Level = level, Entity = entity, Condition = condition })).Cut;

    /// <summary>Someone else takes a session, for a while; the holder is told, or finds out.</summary>
    public Task StealSessionAsync(string queue, string session, TimeSpan? duration = null, bool tell = true) =>
        SendAsync(HttpMethod.Post, "sessions", new { Queue = queue, Session = session, Tell = tell, Milliseconds = duration?.TotalMilliseconds });

    /// <summary>All tokens that clients have shown are over, as if their time had come: their links are detached.</summary>
    public Task ExpireTokensAsync() => SendAsync(HttpMethod.Post, "tokens", new { });

    /// <summary>The broker's time goes on at once, and what is due by that happens: locks and tokens end, scheduled messages appear.</summary>
    public Task AdvanceAsync(TimeSpan time) => SendAsync(HttpMethod.Post, "clock", new { Milliseconds = time.TotalMilliseconds });

    /// <summary>The broker goes away: who is connected is cut off, and nobody is let in. Time goes on, and it keeps its messages.</summary>
    public Task GoAwayAsync() => SendAsync(HttpMethod.Post, "listening", new { Enabled = false });

    /// <summary>It is there again, on the same ports.</summary>
    public Task ComeBackAsync() => SendAsync(HttpMethod.Post, "listening", new { Enabled = true });

    public void Dispose() => _http.Dispose();

    private Task<QueueAnswer> QueueAsync(string queue, string query = "") => ReadAsync<QueueAnswer>(HttpMethod.Get, $"queues/{queue}{query}");

    private async Task SendAsync(HttpMethod method, string path, object? body = null)
    {
        using var answer = await AskAsync(method, path, body);
    }

    private async Task<T> ReadAsync<T>(HttpMethod method, string path, object? body = null)
    {
        using var answer = await AskAsync(method, path, body);
        return (await answer.Content.ReadFromJsonAsync<T>(s_json))!;
    }

    private async Task<HttpResponseMessage> AskAsync(HttpMethod method, string path, object? body)
    {
        using var request = new HttpRequestMessage(method, path);
        if (body is not null)
            request.Content = JsonContent.Create(body, body.GetType(), options: s_json);
        var answer = await _http.SendAsync(request);
        if (answer.IsSuccessStatusCode)
            return answer;
        using (answer)
            throw new HttpRequestException($"{method} {path}: {(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");
    }

    private sealed record QueueAnswer(QueueCounts Counts, IReadOnlyList<QueueSession>? Sessions, IReadOnlyList<QueuedMessage>? Messages);

    private sealed record CutAnswer(int Cut);
}
