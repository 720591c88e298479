using System.Runtime.InteropServices;

namespace Holdfast.Scheduling;

/// <summary>Makes the calling thread yield the CPU to others more readily; it cannot be undone, and threads it creates inherit it.</summary>
internal static partial class Niceness
{
    private const int Process = 0;

    // To the kernel "process 0" is the calling thread, and a nice value belongs to a thread.
    private const uint Calling = 0;

    /// <summary>Raises the thread's nice value to <paramref name="nice"/>; false, and nothing done, where that is no raise.</summary>
    public static bool TryRaise(int nice) =>
        OperatingSystem.IsLinux() && nice > GetPriority(Process, Calling) && SetPriority(Process, Calling, nice) == 0;

    [LibraryImport("libc", EntryPoint = "getpriority")]
    private static partial int GetPriority(int which, uint who);

    [LibraryImport("libc", EntryPoint = "setpriority")]
    private static partial int SetPriority(int which, uint who, int nice);
}
