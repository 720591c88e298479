namespace Holdfast.Worker.Exec;

/// <summary>Finds a program as a shell would: on the PATH, or from the directory it is to work in where it is named with one.</summary>
internal static class Executable
{
    private const UnixFileMode MayExecute = UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;

    /// <summary>Its full path; null where there is no such program.</summary>
    public static string? Find(string program, string? workingDirectory = null)
    {
        var places = program.Contains('/')
            ? [workingDirectory ?? Environment.CurrentDirectory]
            : (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);
        return places.Select(place => Path.GetFullPath(program, Path.GetFullPath(place))).FirstOrDefault(IsProgram);
    }

    private static bool IsProgram(string path) =>
        File.Exists(path) && (OperatingSystem.IsWindows() || (File.GetUnixFileMode(path) & MayExecute) != 0);
}
