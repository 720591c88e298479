using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Holdfast.Scheduling;

/// <summary>
/// What one thread sleeps on until another rings; a ring that nobody waits for is kept for the next wait. It never spins.
/// On Linux it asks the kernel itself, which takes less than half of the CPU that an <see cref="AutoResetEvent"/> takes for a change of threads.
/// </summary>
internal sealed unsafe partial class Bell
{
    private const int WaitUntil = 9 | Private;
    private const int Wake = 1 | Private;
    private const int Private = 128;
    private const uint AnyRing = uint.MaxValue;

    // A cache line of its own, at an address that stays.
    private const int CacheLine = 64 / sizeof(int);

    private static readonly nint s_futex = !OperatingSystem.IsLinux() ? 0 : RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 202,
        Architecture.Arm64 => 98,
        _ => 0,
    };

    private readonly AutoResetEvent? _elsewhere;
    private readonly int[] _memory = GC.AllocateArray<int>(3 * CacheLine, pinned: true);

    public Bell(bool ofKernel = true) => _elsewhere = ofKernel && s_futex != 0 ? null : new AutoResetEvent(false);

    private ref int Rung => ref _memory[CacheLine];

    public void Ring()
    {
        if (_elsewhere is not null)
            _elsewhere.Set();
        else if (Interlocked.Exchange(ref Rung, 1) == 0)
            Call(Wake, 1);
    }

    public void Wait() => Wait(Timeout.InfiniteTimeSpan);

    /// <summary>False if nobody rang in time.</summary>
    public bool Wait(TimeSpan atMost) => _elsewhere?.WaitOne(atMost) ?? WaitForRing(atMost);

    private bool WaitForRing(TimeSpan atMost)
    {
        var isBounded = atMost != Timeout.InfiniteTimeSpan;
        var start = Stopwatch.GetTimestamp();
        var until = KernelTime.Of(start + (long)(atMost.TotalSeconds * Stopwatch.Frequency));
        while (Interlocked.Exchange(ref Rung, 0) == 0)
        {
            // The kernel looks once more before it lets the thread sleep, and may wake it for nothing.
            if (isBounded && Stopwatch.GetElapsedTime(start) >= atMost)
                return false;
            Call(WaitUntil, 0, isBounded ? &until : null);
        }

        return true;
    }

    private void Call(int operation, int value, KernelTime* until = null)
    {
        fixed (int* rung = &Rung)
            _ = SystemCall(s_futex, rung, operation, value, until, 0, AnyRing);
    }

    // The C library has no name of its own for it.
    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint SystemCall(nint number, int* word, nint operation, nint value, KernelTime* until, nint none, nuint rings);

    /// <summary>A point on the clock that <see cref="Stopwatch"/> reads, as the kernel wants it.</summary>
    private readonly record struct KernelTime(long Seconds, long Nanoseconds)
    {
        public static KernelTime Of(long timestamp) => new(timestamp / Stopwatch.Frequency, timestamp % Stopwatch.Frequency * 1_000_000_000 / Stopwatch.Frequency);
    }
}
