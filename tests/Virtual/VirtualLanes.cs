using Holdfast.Scheduling;

namespace Holdfast.Virtual;

/// <summary>Lanes on a virtual machine: as many worker threads as the options ask for, and a lease thread, which takes no time.</summary>
public sealed class VirtualLanes
{
    // The watch finds a thread asleep at the second of its looks.
    private static readonly TimeSpan s_untilReplaced = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(1);

    private readonly VirtualProcess _process;
    private readonly LaneSchedulerOptions _options;
    private readonly Action _onTimedWork;
    private readonly ITimer _timedWork;
    private readonly List<Hand> _hands = [];
    private int _named;

    public VirtualLanes(VirtualProcess process, LaneSchedulerOptions options, ILaneObserver? observer = null)
    {
        _process = process;
        _options = options;
        _onTimedWork = OnTimedWork;
        _timedWork = Timer(_onTimedWork, Timeout.InfiniteTimeSpan);
        Scheduler = LaneScheduler.ByHands(process.Time, options, new HandSignals(Call, OnWoken, OnPool, CpuOf(process)), observer);
        for (var i = 0; i < Scheduler.Threads; i++)
            Hire();
    }

    public LaneScheduler Scheduler { get; }

    /// <summary>How many threads there are, spare ones included.</summary>
    public int Hands => _hands.Count;

    private static HandCpu? CpuOf(VirtualProcess process) => process.HasOwnCores
        ? new(() => process.Processor.Burnt, () => process.Processor.Waited, process.Processor.Cores)
        : null;

    private void Hire() => _hands.Add(new Hand(this, Scheduler.Hands.Hire(), $"worker-{++_named}"));

    private void Call()
    {
        foreach (var hand in _hands)
            hand.Thread.Wake();
    }

    private void OnWoken() => _timedWork.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);

    private void OnTimedWork()
    {
        if (_options.SingleThread)
        {
            Call();
            return;
        }

        Scheduler.RunTimedWork();
        SetTimer();
    }

    private void SetTimer()
    {
        var wait = Scheduler.UntilTimedWork;
        _timedWork.Change(wait < s_longest ? wait : s_longest, Timeout.InfiniteTimeSpan);
    }

    // The pool has threads of its own, and what runs there may burn and wait.
    private void OnPool(Action work) => _process.Start("pool", work);

    // Not one of the process's: those are counted.
    private ITimer Timer(Action act, TimeSpan due) =>
        _process.Machine.Time.CreateTimer(_ => _process.Arrive(act), null, due, Timeout.InfiniteTimeSpan);

    /// <summary>A worker thread; it rests while there is nothing to do.</summary>
    private sealed class Hand
    {
        private readonly VirtualLanes _lanes;
        private readonly LaneWorker _worker;

        public Hand(VirtualLanes lanes, LaneWorker worker, string name)
        {
            _lanes = lanes;
            _worker = worker;
            Thread = lanes._process.NewHand(name, Step);
            Thread.OnBurn = Share;
            Thread.OnSleep = OnSleep;
        }

        public VirtualThread Thread { get; }

        private LaneScheduler Scheduler => _lanes.Scheduler;

        private bool Step()
        {
            // It came out of a wait, and a spare one has taken its place.
            if (_worker.Seat is null)
            {
                Scheduler.Hands.Dismiss(_worker);
                _lanes._hands.Remove(this);
                Thread.End();
                return false;
            }

            if (Scheduler.RunOne(_worker))
                return true;
            if (_lanes._options.SingleThread)
                _lanes.SetTimer();
            return false;
        }

        // The watch shares what a thread keeps, or has left for later, once it finds it in a turn for the second time.
        private void Share() => Scheduler.Postbox.Share(_worker);

        private void OnSleep()
        {
            Share();
            var wait = Thread.Waits + 1;
            ITimer? look = null;
            look = _lanes.Timer(Look, s_untilReplaced);

            void Look()
            {
                look!.Dispose();
                var spare = _lanes._hands.Count - Scheduler.Threads;
                if (!Thread.IsWaiting || Thread.Waits != wait || _worker.Seat is null || spare >= _lanes._options.MaxSpareThreads)
                    return;
                Scheduler.Hands.Unseat(_worker);
                _lanes.Hire();
                _lanes.Call();
            }
        }
    }
}
