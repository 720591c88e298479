using System.Runtime;

namespace Holdfast.Bench;

/// <summary>Waits until the JIT compiler has nothing more to do.</summary>
internal static class JitQuiet
{
    // Longer than the runtime waits before it compiles anew what has become hot.
    private static readonly TimeSpan s_quiet = TimeSpan.FromMilliseconds(150);
    private const int MostLooks = 20;

    public static void Wait()
    {
        for (var looks = 0; looks < MostLooks; looks++)
        {
            var methods = JitInfo.GetCompiledMethodCount();
            Thread.Sleep(s_quiet);
            if (JitInfo.GetCompiledMethodCount() == methods)
                return;
        }
    }
}
