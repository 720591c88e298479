using System.Diagnostics;
using System.Security.Cryptography;

namespace Holdfast.Tests.Integration.Container;

/// <summary>The same sources give the same files, wherever they lie.</summary>
[Collection(nameof(Alone))]
public sealed class ReproducibleTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-same-").FullName;

    [Fact]
    public async Task Two_builds_in_two_folders_are_the_same_byte_for_byte()
    {
        var one = await PublishAsync("one");
        var other = await PublishAsync(Path.Combine("another", "one"));

        Assert.Contains("Holdfast.Consumer.dll", one.Keys);
        Assert.Equal(one, other);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    // As the Dockerfile does it, but only the engine: the rest is built by the same rules.
    private async Task<SortedDictionary<string, string>> PublishAsync(string name)
    {
        var folder = Path.Combine(_folder, name);
        foreach (var file in Sources())
        {
            var copy = Path.Combine(folder, file);
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(SourceTree.Find(file), copy);
        }

        string[] publish = ["publish", "src/Consumer", "--configuration", "Release", "--output", "out", "-nodeReuse:false", "-p:ContinuousIntegrationBuild=true", "-p:SourceRevisionId=0123456789"];
        await new ProcessStartInfo("dotnet", publish) { WorkingDirectory = folder }.OutputAsync();
        return new(Directory.EnumerateFiles(Path.Combine(folder, "out")).ToDictionary(file => Path.GetFileName(file), file => Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(file)))));
    }

    private static IEnumerable<string> Sources()
    {
        string[] above = [".editorconfig", "global.json", "Directory.Build.props", "Directory.Packages.props"];
        var root = SourceTree.Find("");
        return above.Concat(SourceTree.Files("src").Select(file => Path.GetRelativePath(root, file)));
    }
}
