namespace Holdfast.Tests.Servers;

/// <summary>What this machine can run.</summary>
public static class Programs
{
    public static bool AreInstalled(params string[] names) => names.All(IsInstalled);

    public static bool IsInstalled(string name) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Any(folder => File.Exists(Path.Combine(folder, name)));
}
