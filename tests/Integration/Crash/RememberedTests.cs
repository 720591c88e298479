using System.Text.RegularExpressions;
using Microsoft.Data.Sqlite;

namespace Holdfast.Tests.Integration;

/// <summary>A worker that is killed between the end of its handler and the moment at which the server hears of it.</summary>
public sealed class RememberedTests : IClassFixture<VirtualHost>, IDisposable
{
    private readonly VirtualHost _vhost;
    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-remembered-").FullName;

    public RememberedTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task What_it_had_completed_the_next_one_settles_without_handling_it_again()
    {
        var (queue, path) = (_vhost.NewQueue(), Path.Combine(_folder, "completed.db"));
        await using (var broker = _vhost.NewBroker())
            await broker.SendAsync(queue, "a");
        await using var proxy = _vhost.Server.NewProxy();

        using (var first = Start(_vhost.Server.UriOf(_vhost.Name, proxy.Port), queue, path))
        {
            await MeasuresAsync(first, "the message to be held", """^holdfast_leases_held\{.*\} 1$""");
            proxy.Stall(Traffic.ToServer);
            await File.WriteAllTextAsync(Path.Combine(_folder, "go"), "");
            await Eventually.HoldsAsync("the handler to complete", () => IsRemembered(path, "a"));
            await first.SignalAsync("KILL");
            await first.EndAsync();
        }

        proxy.Cut();
        using var next = Start(_vhost.Uri, queue, path);
        await MeasuresAsync(next, "the message to be settled", """^holdfast_messages_settled_total\{.*outcome="complete".*\} 1$""");
        await next.TerminateAsync();
        var (_, output, _) = await next.EndAsync();

        Assert.Contains($"Message a of {queue} was handled before", output);
        await _vhost.NothingIsLeftAsync(queue);
    }

    // A key begins with the message's id.
    private static bool IsRemembered(string path, string id)
    {
        using var file = new SqliteConnection($"Data Source={path};Mode=ReadOnly;Pooling=False");
        file.Open();
        using var question = file.CreateCommand();
        question.CommandText = $"SELECT EXISTS (SELECT 1 FROM completed WHERE id LIKE '{id} %')";
        return (long)question.ExecuteScalar()! == 1;
    }

    // Its handler waits for a file, so that the test comes between its beginning and its end.
    private WorkerProcess Start(string uri, string queue, string path)
    {
        var script = Path.Combine(_folder, "wait");
        File.WriteAllText(script, "while [ ! -e go ]; do sleep 0.05; done\n");
        return WorkerProcess.Start(
            uri,
            queue,
            ("Worker__Handler", "Exec"),
            ("Worker__Exec__Command", "sh"),
            ("Worker__Exec__Arguments", script),
            ("Worker__Exec__WorkingDirectory", _folder),
            ("Worker__Idempotency__Path", path));
    }

    private static async Task MeasuresAsync(WorkerProcess worker, string what, string line)
    {
        using var page = new HttpClient { BaseAddress = await worker.StatusPageAsync() };
        await Eventually.HoldsAsync(what, async () => Regex.IsMatch(await page.GetStringAsync("metrics"), line, RegexOptions.Multiline));
    }
}
