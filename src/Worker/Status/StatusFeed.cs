using Holdfast.Consumer;

namespace Holdfast.Worker.Status;

/// <summary>
/// Tells all viewers of the page how the worker goes, some times in a second and only while there are any: each frame is made once, whoever looks.
/// There is only ever the latest one, so a slow viewer misses some and holds up nobody. Its loop runs on the .NET pool.
/// </summary>
internal sealed partial class StatusFeed(IEngine engine, WorkerFacts facts, TimeProvider time, ILogger<StatusFeed> log) : BackgroundService
{
    public const int MostViewers = 16;

    private const int TicksInASecond = 4;

    private readonly Lock _gate = new();
    private readonly Lookout _lookout = new(engine, time);
    private readonly History _history = new(time);
    private TaskCompletionSource _next = NewNext();
    private Frame _latest = new(0, [], static () => []);
    private Picture? _shown;
    private int _viewers;
    private int _ticks;
    private bool _isOver;

    public int Viewers => Volatile.Read(ref _viewers);

    /// <summary>Why a viewer is not let in.</summary>
    public string Refusal => Volatile.Read(ref _isOver)
        ? "It has been told to stop, and has told all there is to tell."
        : $"{MostViewers} pages watch this worker already, which is the most. Close one, or come back later.";

    /// <summary>Lets a viewer in, unless there are too many. The number is that of the latest frame, which it need not see.</summary>
    public bool TryEnter(out long latest)
    {
        lock (_gate)
        {
            latest = _latest.Number;
            if (_viewers >= MostViewers || _isOver)
                return false;
            Interlocked.Increment(ref _viewers);
            return true;
        }
    }

    public void Leave() => Interlocked.Decrement(ref _viewers);

    /// <summary>The latest frame after that one, as soon as there is one; null once there is none any more.</summary>
    public async Task<Frame?> NextAsync(long seen, CancellationToken cancel)
    {
        while (true)
        {
            Task next;
            lock (_gate)
            {
                if (_latest.Number > seen)
                    return _latest;
                if (_isOver)
                    return null;
                next = _next.Task;
            }

            await next.WaitAsync(cancel);
        }
    }

    /// <summary>What there is to tell right now, for whoever asks once.</summary>
    public Picture Look() => _lookout.Look();

    /// <summary>One beat of the loop.</summary>
    public void Tick()
    {
        var isSecond = _ticks++ % TicksInASecond == 0;
        if (Viewers > 0)
            Show(isSecond);
        else if (isSecond)
            _history.Note(engine.Status, engine.Leases(most: 0));
    }

    public override async Task StopAsync(CancellationToken cancellationToken)
    {
        await base.StopAsync(cancellationToken);
        if (_isOver)
            return;

        // By now the engine has drained, and viewers hear of it.
        Show(isSecond: true);
        End();
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var ticks = new PeriodicTimer(Lookout.Period, time);
        while (await ticks.WaitForNextTickAsync(stoppingToken))
        {
            try
            {
                Tick();
            }
            catch (Exception problem)
            {
                // A page that fails must not end the worker.
                LogTrouble(problem);
            }
        }
    }

    private void Show(bool isSecond)
    {
        var picture = _lookout.LookAnew();
        var second = isSecond ? _history.Note(picture.Status, picture.Leases) is { } point ? new[] { point } : [] : null;
        var frame = new Frame(_latest.Number + 1, FrameText.Change(picture, _shown, second), () => FrameText.Whole(picture, _history.ToArray(), facts));
        _shown = picture;

        TaskCompletionSource reached;
        lock (_gate)
        {
            _latest = frame;
            (reached, _next) = (_next, NewNext());
        }

        reached.SetResult();
    }

    private void End()
    {
        lock (_gate)
            _isOver = true;
        _next.SetResult();
    }

    private static TaskCompletionSource NewNext() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    [LoggerMessage(LogLevel.Error, "The status page could not be brought up to date; the worker goes on.")]
    private partial void LogTrouble(Exception problem);
}
