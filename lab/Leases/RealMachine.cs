using Holdfast.Scheduling;

namespace Holdfast.Lab.Leases;

/// <summary>This machine's own clock and threads.</summary>
/// <param name="burns">Whether a turn's CPU is burnt; otherwise its thread sleeps.</param>
internal sealed class RealMachine(bool burns) : IMachine
{
    private readonly List<Action> _wakes = [];
    private bool _isOver;

    public TimeProvider Time => TimeProvider.System;

    public void Occupy(TimeSpan time)
    {
        // A sleep ends up to a millisecond late; the last part of it is burnt.
        var start = Time.GetTimestamp();
        var sleep = burns ? 0 : (int)time.TotalMilliseconds - 1;
        if (sleep > 0)
            Thread.Sleep(sleep);
        while (Time.GetElapsedTime(start) < time)
            Thread.SpinWait(20);
    }

    public Task PauseAsync(TimeSpan time) => Task.Delay(time);

    public Action NewThread(string name, Func<bool> step)
    {
        var woken = new AutoResetEvent(false);
        lock (_wakes)
            _wakes.Add(Wake);
        new Thread(Main) { Name = name, IsBackground = true }.Start();
        return Wake;

        void Wake() => woken.Set();

        void Main()
        {
            while (woken.WaitOne() && !Volatile.Read(ref _isOver))
            {
                while (step())
                {
                }
            }
        }
    }

    public TaskScheduler OwnPool(Story story) => TaskScheduler.Default;

    public LaneScheduler NewLanes(LaneSchedulerOptions options) => new(options, Time);

    public void RunTo(Task end) => end.GetAwaiter().GetResult();

    public void Dispose()
    {
        Volatile.Write(ref _isOver, true);

        // A pool may still grow: what it gets now sleeps, and ends with the process.
        lock (_wakes)
            _wakes.ForEach(wake => wake());
    }
}
