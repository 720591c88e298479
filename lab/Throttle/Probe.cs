using System.Diagnostics;

namespace Holdfast.Lab.Throttle;

/// <summary>Asks for the pool's attention again and again, from a thread that is not the pool's, and notes how late it comes.</summary>
internal sealed class Probe : IDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(2);

    private readonly List<double> _seconds = [];
    private readonly ManualResetEventSlim _answered = new();
    private readonly Thread _thread;
    private volatile bool _isOver;

    public Probe() => _thread = new Thread(Main) { Name = "probe", IsBackground = true };

    public void Start() => _thread.Start();

    /// <summary>Ends once the pool has answered what it was asked last; gives all answers, in their order.</summary>
    public double[] Stop()
    {
        _isOver = true;
        _thread.Join();
        return [.. _seconds];
    }

    public void Dispose() => _answered.Dispose();

    private void Main()
    {
        do
        {
            _seconds.Add(Ask());
            Thread.Sleep(s_pause);
        }
        while (!_isOver);
    }

    // The time is taken where the answer is given: this thread may itself have to wait for a CPU.
    private double Ask()
    {
        var seconds = 0.0;
        _answered.Reset();
        var asked = Stopwatch.GetTimestamp();
        ThreadPool.UnsafeQueueUserWorkItem(
            _ =>
            {
                seconds = Stopwatch.GetElapsedTime(asked).TotalSeconds;
                _answered.Set();
            },
            null);
        _answered.Wait();
        return seconds;
    }
}
