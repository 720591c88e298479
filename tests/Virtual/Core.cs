using System.Runtime.InteropServices;

namespace Holdfast.Virtual;

/// <summary>
/// Which core a thread runs on. Threads that take turns do so far sooner on one core: another one is asleep, and has to be woken for each turn.
/// On Linux; elsewhere they stay where the system puts them.
/// </summary>
public static partial class Core
{
    private const int CoresInWord = 64;

    // As many as the C library reckons with.
    private const int Words = 1024 / CoresInWord;

    private static readonly int[] s_allowed = Allowed();

    /// <summary>Keeps the calling thread on one of the cores that the process was given, counted round.</summary>
    public static void Stay(int number)
    {
        if (s_allowed.Length == 0)
            return;

        var core = s_allowed[number % s_allowed.Length];
        var set = new ulong[Words];
        set[core / CoresInWord] = 1UL << (core % CoresInWord);
        _ = SetAffinity(0, Words * sizeof(ulong), set);
    }

    private static int[] Allowed()
    {
        var set = new ulong[Words];
        if (!OperatingSystem.IsLinux() || GetAffinity(0, Words * sizeof(ulong), set) != 0)
            return [];
        return [.. Enumerable.Range(0, Words * CoresInWord).Where(core => (set[core / CoresInWord] >> (core % CoresInWord) & 1) != 0)];
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity")]
    private static partial int GetAffinity(int thread, nint bytes, [Out] ulong[] set);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static partial int SetAffinity(int thread, nint bytes, ulong[] set);
}
