using System.Collections.Concurrent;
using System.Diagnostics;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Integration.Exec;

/// <summary>A place for commands to leave what they have to tell, and what is logged of them.</summary>
internal sealed class Commands : ILogger, IDisposable
{
    private readonly ConcurrentQueue<string> _logged = new();

    public string Directory { get; } = System.IO.Directory.CreateTempSubdirectory("holdfast-exec-").FullName;

    public IReadOnlyCollection<string> Logged => _logged;

    public string File(string name) => Path.Combine(Directory, name);

    public string Script(string name, string text)
    {
        var file = File(name);
        System.IO.File.WriteAllText(file, text.ReplaceLineEndings("\n"));
        return file;
    }

    /// <summary>Waits until a command has written so many process ids into a file.</summary>
    public async Task<int[]> ProcessesAsync(int count, string name = "pids")
    {
        int[] ids = [];
        await Eventually.HoldsAsync($"{count} processes to tell of themselves", () =>
            System.IO.File.Exists(File(name)) && (ids = [.. System.IO.File.ReadAllLines(File(name)).Select(int.Parse)]).Length == count);
        return ids;
    }

    /// <summary>Waits until none of them is left, but as a name that nobody has asked after.</summary>
    public static Task AreGoneAsync(IEnumerable<int> ids) =>
        Eventually.HoldsAsync(() => $"processes {string.Join(", ", ids.Where(Lives))} to be gone", () => Task.FromResult(!ids.Any(Lives)));

    /// <summary>Lets time pass until something has ended.</summary>
    public static async Task PassAsync(VirtualTime time, Task until)
    {
        await Eventually.HoldsAsync("the end to come with time", () =>
        {
            time.Advance(TimeSpan.FromSeconds(1));
            return until.IsCompleted;
        });
        await until;
    }

    /// <summary>Ends the one that has told of itself, and that no worker has ended.</summary>
    public async Task EndItAsync()
    {
        using var process = Process.GetProcessById(Assert.Single(await ProcessesAsync(1)));
        process.Kill();
    }

    public static bool Lives(int id)
    {
        try
        {
            var stat = System.IO.File.ReadAllText($"/proc/{id}/stat");
            return stat[stat.LastIndexOf(')') + 2] is not ('Z' or 'X');
        }
        catch (Exception gone) when (gone is IOException)
        {
            return false;
        }
    }

    public static HeldMessage Message(string id = "1", byte[]? body = null) => new("orders", new Message { Id = id, Body = body ?? "hello"u8.ToArray() });

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        _logged.Enqueue(formatter(state, exception));

    public bool IsEnabled(LogLevel logLevel) => true;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Dispose() => System.IO.Directory.Delete(Directory, recursive: true);
}
