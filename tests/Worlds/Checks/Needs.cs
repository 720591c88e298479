using Holdfast.Scheduling;

namespace Holdfast.Tests.Worlds;

/// <summary>How many messages of each queue may want a thread, at the most, and how many surely await something, by what was seen of their handlers.</summary>
internal sealed class Needs(WorldPlan plan, IReadOnlyDictionary<int, WorkerPlan> workers)
{
    private readonly Dictionary<(int Life, int Delivery), State> _states = [];
    private readonly Dictionary<(int Life, int Queue), (int Wanting, int Awaiting)> _counts = [];
    private readonly HashSet<(int Life, int Delivery, int Message)> _ended = [];

    [Flags]
    private enum State
    {
        None = 0,
        InHand = 1,
        Running = 2,
        Awaiting = 4,

        /// <summary>Its handler has come to an end, and either is tried again or what called it must have its turns too: where it was lost, nobody sees these.</summary>
        Ended = 8,
    }

    public void See(in Event happened)
    {
        // Of a queue that has no other beside it nobody asks.
        if (plan.Queues.Length == 1)
            return;

        var (set, clear) = happened.Kind switch
        {
            EventKind.Received => (State.InHand, State.None),
            EventKind.Begun => (State.Running, State.Ended),
            EventKind.Awaits => (State.Awaiting, State.None),
            EventKind.Ready => (State.None, State.Awaiting),
            EventKind.Ended => (State.Ended, State.Running | State.Awaiting),

            // From there on it wants a thread only if its handler still does.
            // Near the limit for holding a message it is settled although its handler, or what called that, is not done.
            EventKind.SettleAsked => (State.None, plan.BrokerOf(happened.Message).HoldLimit is null ? State.InHand | State.Ended : State.InHand),
            EventKind.LetGo => (State.None, State.InHand),
            _ => default,
        };
        if ((set | clear) != State.None)
            Change((happened.Life, happened.Delivery), plan.QueueOf(happened.Message), set, clear);
        if (happened.Kind == EventKind.Ended && !MayBeTriedAgain(happened))
            _ended.Add((happened.Life, happened.Delivery, happened.Message));
        else if (happened.Kind == EventKind.TurnBegun && happened.A == (long)Lane.Receive && _ended.Count > 0)
            SeeOff(happened.Life);
    }

    /// <summary>
    /// Whether a queue surely has no more messages that want a thread than such as await something. Whether one that a store is asked about waits for that,
    /// or for a thread by then, nobody sees.
    /// </summary>
    public bool AreSlight(int life, int queue)
    {
        var (wanting, awaiting) = _counts.GetValueOrDefault((life, queue));
        return wanting <= awaiting && workers[life].Store is null;
    }

    // That it had no more time, or what it published was not taken, is a failure like any other.
    private bool MayBeTriedAgain(in Event ended) =>
        ended.A == (long)Ending.Throw
        || plan.Messages[ended.Message].Notices > 0
        || workers[ended.Life].Queues[plan.QueueOf(ended.Message)].AttemptTimeout is not null;

    // Nothing waits in the Process lane then; only who is to be tried again may come back to it.
    private void SeeOff(int life)
    {
        foreach (var (_, delivery, message) in _ended.Where(one => one.Life == life).ToArray())
        {
            Change((life, delivery), plan.QueueOf(message), State.None, State.Ended);
            _ended.Remove((life, delivery, message));
        }
    }

    private void Change((int Life, int Delivery) delivery, int queue, State set, State clear)
    {
        var before = _states.GetValueOrDefault(delivery);
        var after = (before | set) & ~clear;
        _states[delivery] = after;
        var (wanting, awaiting) = _counts.GetValueOrDefault((delivery.Life, queue));
        _counts[(delivery.Life, queue)] = (wanting + Wants(after) - Wants(before), awaiting + Awaits(after) - Awaits(before));
    }

    private static int Awaits(State state) => (state & State.Awaiting) != 0 ? 1 : 0;

    private static int Wants(State state) => state != State.None && (state & State.Awaiting) == 0 ? 1 : 0;
}
