using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;

namespace Holdfast.Tests.Servers;

/// <summary>A RabbitMQ server's management API: what tests and benchmarks ask of it.</summary>
public sealed class RabbitManagement : IDisposable
{
    private static readonly JsonSerializerOptions s_json = new() { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower };

    private readonly HttpClient _http;
    private readonly string _user;

    /// <param name="uri">Such as <c>http://user:password@host:15672</c>.</param>
    public RabbitManagement(string uri)
    {
        var parts = new UriBuilder(uri);
        var login = $"{Uri.UnescapeDataString(parts.UserName)}:{Uri.UnescapeDataString(parts.Password)}";
        _user = Uri.UnescapeDataString(parts.UserName);
        _http = new HttpClient { BaseAddress = new UriBuilder(parts.Scheme, parts.Host, parts.Port, "/api/").Uri };
        _http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes(login)));
    }

    /// <summary>The server's version, such as 3.10.8.</summary>
    public async Task<Version> VersionAsync() =>
        Version.Parse((await _http.GetFromJsonAsync<JsonElement>("overview")).GetProperty("rabbitmq_version").GetString()!);

    /// <summary>Whether the API can be reached, and lets us in.</summary>
    public Task<bool> AnswersAsync() => SaysYesAsync("overview");

    /// <summary>Whether that, and whether the server takes connections on a port: it opens its pages first.</summary>
    public Task<bool> ListensAsync(int port) => SaysYesAsync($"health/checks/port-listener/{port}");

    /// <summary>Makes a virtual host, and lets our own user do everything in it.</summary>
    public async Task CreateVhostAsync(string vhost)
    {
        await PutAsync($"vhosts/{Escaped(vhost)}", new { });
        await PutAsync($"permissions/{Escaped(vhost)}/{Escaped(_user)}", new { configure = ".*", write = ".*", read = ".*" });
    }

    /// <summary>Makes a user who may do so much in a virtual host, or changes what he may.</summary>
    public async Task PutUserAsync(string vhost, string user, string password, string configure, string write, string read)
    {
        await PutAsync($"users/{Escaped(user)}", new { password, tags = "" });
        await PutAsync($"permissions/{Escaped(vhost)}/{Escaped(user)}", new { configure, write, read });
    }

    /// <summary>Removes a user.</summary>
    public Task DeleteUserAsync(string user) => DeleteAsync($"users/{Escaped(user)}");

    /// <summary>Removes a virtual host with all that is in it.</summary>
    public Task DeleteVhostAsync(string vhost) => DeleteAsync($"vhosts/{Escaped(vhost)}");

    /// <summary>The connections to a virtual host. A new one takes a moment to show.</summary>
    public async Task<IReadOnlyList<RabbitConnection>> ConnectionsAsync(string vhost) =>
        await GetAsync<List<RabbitConnection>>($"vhosts/{Escaped(vhost)}/connections") ?? [];

    /// <summary>Closes a connection from the server's side. True where there was one.</summary>
    public Task<bool> CloseConnectionAsync(RabbitConnection connection) => DeleteAsync($"connections/{Escaped(connection.Name)}");

    /// <summary>One queue, with counts that are about a second old, and up to five where it is a quorum queue; null where there is none of that name.</summary>
    public Task<RabbitQueue?> QueueAsync(string vhost, string queue) => GetAsync<RabbitQueue>($"queues/{Escaped(vhost)}/{Escaped(queue)}");

    /// <summary>Removes a queue with its messages. True where there was one.</summary>
    public Task<bool> DeleteQueueAsync(string vhost, string queue) => DeleteAsync($"queues/{Escaped(vhost)}/{Escaped(queue)}");

    /// <summary>Sets a policy on the queues whose names match a pattern.</summary>
    public Task PutPolicyAsync(string vhost, string name, string pattern, IReadOnlyDictionary<string, object> definition) =>
        PutAsync($"policies/{Escaped(vhost)}/{Escaped(name)}", new Dictionary<string, object> { ["pattern"] = pattern, ["apply-to"] = "queues", ["definition"] = definition });

    /// <summary>Takes a policy away. True if it was there.</summary>
    public Task<bool> DeletePolicyAsync(string vhost, string name) => DeleteAsync($"policies/{Escaped(vhost)}/{Escaped(name)}");

    /// <summary>Puts a message into a queue with headers that no client of AMQP would send.</summary>
    public async Task PublishAsync(string vhost, string queue, IReadOnlyDictionary<string, object> headers)
    {
        var message = new { properties = new { headers }, routing_key = queue, payload = "x", payload_encoding = "string" };
        using var answer = await _http.PostAsJsonAsync($"exchanges/{Escaped(vhost)}/amq.default/publish", message);
        await CheckAsync(answer);
    }

    /// <summary>Takes the message at a queue's head out of it, as the management page does with "Get". True where there was one.</summary>
    public async Task<bool> RemoveFirstAsync(string vhost, string queue)
    {
        using var answer = await _http.PostAsJsonAsync($"queues/{Escaped(vhost)}/{Escaped(queue)}/get", new { count = 1, ackmode = "ack_requeue_false", encoding = "auto" });
        await CheckAsync(answer);
        return await answer.Content.ReadFromJsonAsync<JsonElement>() is var removed && removed.GetArrayLength() > 0;
    }

    public void Dispose() => _http.Dispose();

    private static string Escaped(string name) => Uri.EscapeDataString(name);

    private async Task<bool> SaysYesAsync(string path)
    {
        try
        {
            using var answer = await _http.GetAsync(path);
            return answer.IsSuccessStatusCode;
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }

    private async Task<T?> GetAsync<T>(string path)
        where T : class
    {
        using var answer = await _http.GetAsync(path);
        if (answer.StatusCode == HttpStatusCode.NotFound)
            return null;
        await CheckAsync(answer);
        return await answer.Content.ReadFromJsonAsync<T>(s_json);
    }

    private async Task PutAsync(string path, object body)
    {
        using var answer = await _http.PutAsJsonAsync(path, body);
        await CheckAsync(answer);
    }

    private async Task<bool> DeleteAsync(string path)
    {
        using var answer = await _http.DeleteAsync(path);
        if (answer.StatusCode == HttpStatusCode.NotFound)
            return false;
        await CheckAsync(answer);
        return true;
    }

    private static async Task CheckAsync(HttpResponseMessage answer)
    {
        if (!answer.IsSuccessStatusCode)
            throw new HttpRequestException($"{answer.RequestMessage?.Method} {answer.RequestMessage?.RequestUri}: {(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");
    }
}
