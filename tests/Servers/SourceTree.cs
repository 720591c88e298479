namespace Holdfast.Tests.Servers;

/// <summary>The tree that this was built in, for what is run from its sources.</summary>
public static class SourceTree
{
    private const string Mark = "Holdfast.slnx";

    /// <summary>The full path of a file or folder that is named from the tree's root.</summary>
    public static string Find(string path)
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, Mark)))
                return Path.Combine(folder.FullName, path);
        }

        throw new InvalidOperationException($"{AppContext.BaseDirectory} is not within the tree that holds {Mark}.");
    }

    /// <summary>The full paths of the files below a folder, but for what builds and installations have left there.</summary>
    public static IEnumerable<string> Files(string folder, string pattern = "*") =>
        Directory.EnumerateFiles(Find(folder), pattern, SearchOption.AllDirectories)
            .Where(file => !file.Split(Path.DirectorySeparatorChar).Any(part => part is "bin" or "obj" or "node_modules"));
}
