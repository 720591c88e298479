namespace Holdfast.Consumer;

/// <summary>How the machine has carried its work since the last look.</summary>
/// <param name="Threads">Threads that run handlers.</param>
/// <param name="Waiting">Turns ready to run that wait for one of them.</param>
/// <param name="Wait">How long those will wait, at the rate at which turns were run.</param>
/// <param name="CpuShare">The part of the CPU we may use that was burnt, or would have been if others had not had it: 0 to about 1.</param>
/// <param name="PoolDelay">How late the .NET thread pool, which the brokers' clients need, starts what it is given.</param>
/// <param name="AreThreadsScarce">Whether so many handlers block that no more are begun.</param>
internal readonly record struct Load(int Threads, double Waiting, TimeSpan Wait, double CpuShare, TimeSpan PoolDelay, bool AreThreadsScarce = false)
{
    private const double BusyCpu = 0.8;
    private static readonly TimeSpan s_shortWait = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_latePool = TimeSpan.FromMilliseconds(250);

    /// <summary>The pool no longer answers in time: what escaped to it may soon starve the connection.</summary>
    public bool IsPoolLate => PoolDelay > s_latePool;

    /// <summary>
    /// More is ready than the threads take next, for long, and not because handlers merely block: more messages would only wait.
    /// One turn beyond those may: without it a single thread would be idle at each message's end, until the next message is here.
    /// </summary>
    public bool IsTooMuch => Waiting > Threads + 1 && Wait > s_shortWait && CpuShare > BusyCpu;

    /// <summary>How much of the CPU that these threads could burn was wanted: no more than the machine has, and no more than they are.</summary>
    public static double ShareOf(TimeSpan wanted, TimeSpan elapsed, int threads, double cpus) => wanted / (elapsed * Math.Min(threads, cpus));
}
