using System.Runtime.InteropServices;

namespace Holdfast.Worker.Commands;

/// <summary>What is piped into this process.</summary>
internal static partial class StandardInput
{
    private const int Number = 0;
    private const int GetFlags = 1;
    private const int ClosedOnExecute = 1;

    /// <summary>Null where nothing is: at a terminal, and where whoever started us had closed it.</summary>
    public static Stream? Open() => Console.IsInputRedirected && IsOurs() ? Console.OpenStandardInput() : null;

    // Where it was closed, the runtime's first file has its number, which would be read from for ever. The runtime closes its files for whom it executes; what was handed to us had not been.
    private static bool IsOurs() => OperatingSystem.IsWindows() || (fcntl(Number, GetFlags) & ClosedOnExecute) == 0;

    [LibraryImport("libc")]
    private static partial int fcntl(int file, int command);
}
