using System.Runtime.InteropServices;

namespace Holdfast.Worker.Exec;

/// <summary>Finds a program as a shell would: on the PATH, or from the directory it is to work in where it is named with one.</summary>
internal static partial class Executable
{
    private const int ToExecute = 1;

    /// <summary>Its full path; null where there is no such program.</summary>
    public static string? Find(string program, string? workingDirectory = null)
    {
        var places = program.Contains('/')
            ? [workingDirectory ?? Environment.CurrentDirectory]
            : (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);
        return places.Select(place => Path.GetFullPath(program, Path.GetFullPath(place))).FirstOrDefault(IsProgram);
    }

    // Only the kernel knows what this user may do: it heeds the owner, groups, access lists and how the disk is mounted.
    private static bool IsProgram(string path) => File.Exists(path) && (OperatingSystem.IsWindows() || access(path, ToExecute) == 0);

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int access(string path, int mode);
}
