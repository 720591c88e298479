namespace Holdfast.Tests.Worlds;

/// <summary>What a handler has said of its message is asked of the broker before another handler has a turn: until then the work can be lost, and done twice.</summary>
internal sealed class FinishedFirst(WorldPlan plan) : Rule(plan)
{
    // By life and delivery, as all here.
    private readonly HashSet<(int Life, int Delivery)> _waiting = [];
    private readonly Dictionary<(int Life, int Delivery), Finished> _finished = [];
    private readonly HashSet<(int Life, int Delivery)> _decided = [];

    protected override void See(in Event happened)
    {
        var key = (happened.Life, happened.Delivery);
        switch (happened.Kind)
        {
            case EventKind.Received or EventKind.Ready:
                _waiting.Add(key);
                break;
            case EventKind.Begun or EventKind.GoesOn:
                Take(key, happened);
                break;
            // What it publishes takes its time.
            // What is lost, or settled by its limit, has its end, whatever its handler says after that.
            case EventKind.Ended when (Ending)happened.A is Ending.Complete or Ending.Delay or Ending.DeadLetter && Plan.Messages[happened.Message].Notices == 0 && !_decided.Contains(key):
                _finished[key] = new(happened);
                break;
            case EventKind.SettleAsked:
                Settle(key, happened);
                break;
            case EventKind.LetGo:
                _decided.Add(key);
                _finished.Remove(key);
                break;
            // A store comes first, where there is one, and is told of messages.
            case EventKind.StoreTold:
                SettleAll(happened);
                break;
        }
    }

    private void Take((int Life, int Delivery) key, Event turn)
    {
        // A retry goes on at once, and has not waited.
        if (!_waiting.Remove(key))
            return;

        foreach (var (other, finished) in _finished)
        {
            if (other.Life == key.Life && other != key)
                finished.Passed ??= turn;
        }
    }

    private void SettleAll(Event told)
    {
        foreach (var (key, _) in _finished.Where(one => one.Key.Life == told.Life && one.Value.Message == told.Message).ToArray())
            Settle(key, told);
    }

    private void Settle((int Life, int Delivery) key, Event asked)
    {
        _decided.Add(key);

        // Of several threads each may take up something at the same instant.
        if (_finished.Remove(key, out var finished) && finished.Passed is { } passed && (passed.Time < asked.Time || WorkerOf(key.Life).Cores == 1))
            Broken($"The handler of m{asked.Message} ended at {finished.At.TotalSeconds:0.0000}, and m{passed.Message} had a turn at {passed.Time.TotalSeconds:0.0000} before that was settled.");
    }

    private sealed class Finished(Event ended)
    {
        public TimeSpan At => ended.Time;

        public int Message => ended.Message;

        /// <summary>The turn that another handler had first.</summary>
        public Event? Passed { get; set; }
    }
}
