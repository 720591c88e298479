namespace Holdfast.Tests.Worlds;

/// <summary>How many messages of each queue may want a thread, at the most, and how many surely await something, by what was seen of their handlers.</summary>
internal sealed class Needs(WorldPlan plan)
{
    private readonly Dictionary<(int Life, int Delivery), State> _states = [];
    private readonly Dictionary<(int Life, int Queue), (int Wanting, int Awaiting)> _counts = [];

    [Flags]
    private enum State
    {
        None = 0,
        InHand = 1,
        Running = 2,
        Awaiting = 4,

        /// <summary>Its handler may be tried again, though it was lost meanwhile: nobody sees when it is not.</summary>
        Failed = 8,
    }

    public void See(Event happened)
    {
        var (set, clear) = happened.Kind switch
        {
            EventKind.Received => (State.InHand, State.None),
            EventKind.Begun => (State.Running, State.Failed),
            EventKind.Awaits => (State.Awaiting, State.None),
            EventKind.Ready => (State.None, State.Awaiting),
            EventKind.Ended => (happened.A == (long)Ending.Throw ? State.Failed : State.None, State.Running | State.Awaiting),

            // From there on it wants a thread only if its handler still does.
            EventKind.SettleAsked => (State.None, State.InHand | State.Failed),
            EventKind.LetGo => (State.None, State.InHand),
            _ => default,
        };
        if ((set | clear) != State.None)
            Change((happened.Life, happened.Delivery), plan.QueueOf(happened.Message), set, clear);
    }

    /// <summary>Whether a queue surely has no more messages that want a thread than such as await something.</summary>
    public bool AreSlight(int life, int queue)
    {
        var (wanting, awaiting) = _counts.GetValueOrDefault((life, queue));
        return wanting <= awaiting;
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
