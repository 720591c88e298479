using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Demo;

/// <summary>Keeps a thread busy and then waits, turn after turn: a handler at its worst, on the Process lane.</summary>
internal sealed class DemoHandler(DemoOptions demo, TimeProvider time) : IHandler
{
    private const int SpinsBetweenLooks = 1_000;

    public async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        var (busy, wait) = (TimeSpan.FromMilliseconds(demo.CpuMilliseconds), TimeSpan.FromMilliseconds(demo.IoMilliseconds));
        for (var turn = 0; turn < demo.Turns; turn++)
        {
            if (demo.Blocking)
                Block(busy, cancel);
            else
                Burn(busy, cancel);
            // Without a wait it would be one long turn, not several.
            if (wait > TimeSpan.Zero)
                await Task.Delay(wait, time, cancel);
            else
                await Task.Yield();
        }

        return Settlement.Complete;
    }

    private void Burn(TimeSpan busy, CancellationToken cancel)
    {
        var start = time.GetTimestamp();
        while (time.GetElapsedTime(start) < busy)
        {
            cancel.ThrowIfCancellationRequested();
            Thread.SpinWait(SpinsBetweenLooks);
        }
    }

    private static void Block(TimeSpan busy, CancellationToken cancel)
    {
        cancel.WaitHandle.WaitOne(busy);
        cancel.ThrowIfCancellationRequested();
    }
}
