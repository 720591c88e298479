using System.Buffers.Text;
using Microsoft.Win32.SafeHandles;

namespace Holdfast.Scheduling;

/// <summary>Tells, from any thread and without allocating, whether the thread that made it is blocked and what CPU it used.</summary>
internal sealed class ThreadProbe : IDisposable
{
    private readonly Thread _thread = Thread.CurrentThread;
    private readonly SafeFileHandle? _stat;
    private readonly SafeFileHandle? _schedstat;

    public ThreadProbe()
        : this("/proc/thread-self")
    {
    }

    // Opened once, on the thread itself: no id is needed (older C libraries have no gettid), a later thread with the same id
    // is never mistaken for this one, and a sample allocates no handle.
    internal ThreadProbe(string folder)
    {
        _stat = Open($"{folder}/stat");
        _schedstat = Open($"{folder}/schedstat");
    }

    public ThreadSample Sample()
    {
        if (_stat is null)
            return ThreadSample.Of(_thread.ThreadState);
        Span<byte> stat = stackalloc byte[512];
        Span<byte> schedstat = stackalloc byte[128];
        return ThreadSample.Parse(Read(_stat, stat), Read(_schedstat, schedstat));
    }

    /// <summary>For how long the thread was ready to run and had no CPU, since it began.</summary>
    public TimeSpan WaitForCpu()
    {
        Span<byte> schedstat = stackalloc byte[128];
        return ThreadSample.WaitForCpu(Read(_schedstat, schedstat));
    }

    public void Dispose()
    {
        _stat?.Dispose();
        _schedstat?.Dispose();
    }

    private static SafeFileHandle? Open(string path)
    {
        try
        {
            return File.Exists(path) ? File.OpenHandle(path, share: FileShare.ReadWrite) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static ReadOnlySpan<byte> Read(SafeFileHandle? file, Span<byte> buffer)
    {
        try
        {
            return file is null ? [] : buffer[..RandomAccess.Read(file, buffer, 0)];
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            // The thread has ended.
            return [];
        }
    }
}

/// <summary>What a thread was doing at one moment; one that could run but waits for a CPU counts as running.</summary>
internal enum ThreadActivity
{
    Unknown,
    Running,
    Sleeping,
}

/// <summary>What a thread was doing at one moment, and how much CPU it had used until then.</summary>
internal readonly record struct ThreadSample(ThreadActivity Activity, TimeSpan CpuTime)
{
    // The kernel's USER_HZ, 100 on all that .NET runs on.
    private const long TicksPerJiffy = TimeSpan.TicksPerSecond / 100;

    public static ThreadSample Of(ThreadState state) =>
        new((state & ThreadState.WaitSleepJoin) != 0 ? ThreadActivity.Sleeping : ThreadActivity.Running, default);

    public static ThreadSample Parse(ReadOnlySpan<byte> stat, ReadOnlySpan<byte> schedstat)
    {
        // The thread's name is in parentheses and may hold anything, parentheses too; after it come only numbers.
        var fields = stat[(stat.LastIndexOf((byte)')') + 1)..].TrimStart((byte)' ');
        var activity = (fields.IsEmpty ? 0 : fields[0]) switch
        {
            'R' => ThreadActivity.Running,
            'S' or 'D' => ThreadActivity.Sleeping,
            _ => ThreadActivity.Unknown,
        };

        // A kernel built without the statistics shows zeros.
        return Number(schedstat, 0) is > 0 and var cpu
            ? new(activity, new(cpu / TimeSpan.NanosecondsPerTick))
            : new(activity, new(((Number(fields, 11) ?? 0) + (Number(fields, 12) ?? 0)) * TicksPerJiffy));
    }

    /// <summary>For how long it had been ready to run and had no CPU, by then.</summary>
    public static TimeSpan WaitForCpu(ReadOnlySpan<byte> schedstat) => new((Number(schedstat, 1) ?? 0) / TimeSpan.NanosecondsPerTick);

    private static long? Number(ReadOnlySpan<byte> text, int index)
    {
        for (; index > 0; index--)
        {
            var space = text.IndexOf((byte)' ');
            if (space < 0)
                return null;
            text = text[(space + 1)..];
        }

        return Utf8Parser.TryParse(text, out long number, out _) ? number : null;
    }
}
