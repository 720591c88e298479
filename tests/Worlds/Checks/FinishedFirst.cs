namespace Holdfast.Tests.Worlds;

/// <summary>
/// What a handler has said of its message is asked of the broker before another handler has a turn: until then the work can be lost, and done twice.
/// Unless that one has waited for so long that it may be aged.
/// </summary>
internal sealed class FinishedFirst(WorldPlan plan) : Rule(plan)
{
    // By life and delivery: since when it waits for a turn.
    private readonly Dictionary<(int Life, int Delivery), TimeSpan> _waits = [];
    private readonly Dictionary<(int Life, int Delivery), Finished> _finished = [];
    private readonly Dictionary<int, WorkerPlan> _lives = [];

    protected override void See(Event happened)
    {
        var key = (happened.Life, happened.Delivery);
        switch (happened.Kind)
        {
            case EventKind.Started:
                _lives[happened.Life] = Plan.Workers[happened.A];
                break;
            case EventKind.Received or EventKind.Ready:
                _waits[key] = happened.Time;
                break;
            case EventKind.Begun or EventKind.GoesOn:
                Take(key, happened);
                break;
            case EventKind.Ended when (Ending)happened.A is Ending.Complete or Ending.Delay or Ending.DeadLetter:
                _finished[key] = new(happened.Time);
                break;
            // Of several threads each may take up something at the same instant.
            case EventKind.SettleAsked when _finished.Remove(key, out var finished) && finished.Passed is { } passed && (passed.Time < happened.Time || HasOneThread(happened.Life)):
                Broken($"The handler of m{happened.Message} ended at {finished.At.TotalSeconds:0.0000}, and m{passed.Message} had a turn at {passed.Time.TotalSeconds:0.0000} before that was settled.");
                break;
        }
    }

    private void Take((int Life, int Delivery) key, Event turn)
    {
        // A retry goes on at once, and has not waited.
        if (!_waits.Remove(key, out var since) || turn.Time - since >= _lives[key.Life].Ageing)
            return;

        foreach (var (other, finished) in _finished)
        {
            if (other.Life == key.Life && other != key)
                finished.Passed ??= turn;
        }
    }

    private bool HasOneThread(int life) => _lives[life] is { IsSingleThread: true } or { Threads: 1 };

    private sealed class Finished(TimeSpan at)
    {
        public TimeSpan At => at;

        /// <summary>The turn that another handler had first.</summary>
        public Event? Passed { get; set; }
    }
}
