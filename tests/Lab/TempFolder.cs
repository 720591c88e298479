namespace Holdfast.Tests.Lab;

/// <summary>A folder that is gone after the test.</summary>
internal sealed class TempFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("holdfast-lab-").FullName;

    public string[] Files => [.. Directory.EnumerateFiles(Path, "*", SearchOption.AllDirectories).Select(file => System.IO.Path.GetRelativePath(Path, file)).Order(StringComparer.Ordinal)];

    public string Read(string file) => File.ReadAllText(System.IO.Path.Combine(Path, file));

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
