namespace Holdfast.Tests.Integration;

/// <summary>What the handlers of a worker that may be killed at any moment have begun and ended: a line each, in the kernel's hands when the call returns.</summary>
internal sealed class Journal : IDisposable
{
    private readonly FileStream _file;

    public Journal(string path) => _file = new FileStream(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);

    public void Begin(string id) => Write($"begin {id}\n");

    public void End(string id) => Write($"end {id}\n");

    /// <summary>Who began, and who ended, in order.</summary>
    public static (string[] Begun, string[] Ended) Read(string path)
    {
        string[] lines = File.Exists(path) ? File.ReadAllLines(path) : [];
        return (Ids("begin "), Ids("end "));

        string[] Ids(string what) => [.. lines.Where(line => line.StartsWith(what, StringComparison.Ordinal)).Select(line => line[what.Length..])];
    }

    /// <summary>The journals of one life after another: all was ended, nothing came twice in one life, and in each at most so many that had ended in an earlier one.</summary>
    public static void AccountsFor(string[] sent, string[] paths, int mostAgain)
    {
        var earlier = new HashSet<string>();
        foreach (var (begun, ended) in paths.Select(Read))
        {
            Assert.Equal(begun.Distinct(), begun);
            Assert.InRange(ended.Count(earlier.Contains), 0, mostAgain);
            earlier.UnionWith(ended);
        }

        Assert.Equal(sent.Order(), earlier.Order());
    }

    public void Dispose() => _file.Dispose();

    private void Write(string line)
    {
        lock (_file)
            _file.Write(System.Text.Encoding.UTF8.GetBytes(line));
    }
}
