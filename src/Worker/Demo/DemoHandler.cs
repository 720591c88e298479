using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Demo;

/// <summary>Keeps a thread busy and then waits, turn after turn: a handler at its worst, on the Process lane.</summary>
internal sealed class DemoHandler(WorkerOptions worker, TimeProvider time) : IHandler
{
    private readonly DemoOptions _demo = worker.Demo;

    public async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        var (busy, wait) = (TimeSpan.FromMilliseconds(_demo.CpuMilliseconds), TimeSpan.FromMilliseconds(_demo.IoMilliseconds));
        for (var turn = 0; turn < _demo.Turns; turn++)
        {
            if (_demo.Blocking)
                Block(busy, cancel);
            else
                Burn(busy, cancel);
            await Task.Delay(wait, time, cancel);
        }

        return Settlement.Complete;
    }

    private void Burn(TimeSpan busy, CancellationToken cancel)
    {
        var start = time.GetTimestamp();
        do
        {
            cancel.ThrowIfCancellationRequested();
            Thread.SpinWait(1_000);
        }
        while (time.GetElapsedTime(start) < busy);
    }

    private static void Block(TimeSpan busy, CancellationToken cancel)
    {
        cancel.WaitHandle.WaitOne(busy);
        cancel.ThrowIfCancellationRequested();
    }
}
