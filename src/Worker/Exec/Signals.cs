using System.Runtime.InteropServices;

namespace Holdfast.Worker.Exec;

/// <summary>Sends a signal to a process, or to a whole group where the number is negative, and tells the system's error; 0 is none.</summary>
internal delegate int SendSignal(int process, int signal);

/// <summary>What processes can be told, and how the system takes it.</summary>
internal static partial class Signals
{
    public const int Probe = 0;
    public const int Kill = 9;
    public const int Terminate = 15;

    /// <summary>The error where the process is another user's.</summary>
    public const int NotPermitted = 1;

    public static int Send(int process, int signal) => kill(process, signal) == 0 ? 0 : Marshal.GetLastPInvokeError();

    [LibraryImport("libc", SetLastError = true)]
    private static partial int kill(int process, int signal);
}
