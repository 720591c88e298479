using System.Text.Json;

namespace Holdfast.Tests.Servers;

/// <summary>A program that answers HTTP on a loopback port and keeps its data in a folder, both its own.</summary>
internal sealed class WebServer : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);

    private readonly HttpClient _http;
    private readonly string _program;
    private KeptProcess? _process;

    public WebServer(string program)
    {
        _program = program;
        Uri = new UriBuilder("http", "127.0.0.1", LoopbackPorts.Take(1)[0]).Uri;
        Folder = Directory.CreateTempSubdirectory($"holdfast-{program}-").FullName;
        _http = new HttpClient { BaseAddress = Uri };
    }

    public Uri Uri { get; }

    public string Folder { get; }

    public string Write(string name, string text)
    {
        var path = Path.Combine(Folder, name);
        File.WriteAllText(path, text);
        return path;
    }

    /// <summary>Starts it, and returns once a page of it says that it is ready.</summary>
    public async Task StartAsync(string readyPage, params string[] arguments)
    {
        _process = KeptProcess.Start(Path.Combine(Folder, "log"), _program, arguments);
        using var patience = new CancellationTokenSource(s_patience);
        while (!await AnswersAsync(readyPage))
        {
            if (_process.HasEnded || patience.IsCancellationRequested)
                throw new InvalidOperationException($"{_program} did not start. Its log ends with:\n{_process.LogTail}");
            await Task.Delay(s_pause);
        }
    }

    public Task<JsonElement> GetAsync(string path) => _http.JsonAsync(path);

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
            await _process.DisposeAsync();
        _http.Dispose();
        Directory.Delete(Folder, recursive: true);
    }

    private async Task<bool> AnswersAsync(string page)
    {
        try
        {
            using var answer = await _http.GetAsync(page);
            return answer.IsSuccessStatusCode;
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }
}
