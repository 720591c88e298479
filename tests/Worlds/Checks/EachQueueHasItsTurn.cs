namespace Holdfast.Tests.Worlds;

/// <summary>
/// Where a worker has several queues: no thread takes up a handler's next turn while a queue that has room, and hardly wants a thread for what it has in hand,
/// has not been asked for what there is for longer than was promised.
/// </summary>
internal sealed class EachQueueHasItsTurn(WorldPlan plan) : Rule(plan)
{
    // A quarter of a second until it is overdue, and one look of the Pacer until that is seen.
    private static readonly TimeSpan s_longest = TimeSpan.FromMilliseconds(250 + 100 + 1);

    private readonly Dictionary<(int Life, int Queue), Ask> _asks = [];
    private readonly HashSet<int> _stopping = [];

    protected override void See(in Event happened)
    {
        if (happened.Life < 0 || Plan.Queues.Length == 1)
            return;

        switch (happened.Kind)
        {
            case EventKind.Started:
                for (var queue = 0; queue < Plan.Queues.Length; queue++)
                    _asks[(happened.Life, queue)] = new();
                break;
            case EventKind.ReceiveAsked:
                _asks[(happened.Life, happened.Queue)].IsAnswered = false;
                break;
            case EventKind.Received:
                _asks[(happened.Life, Plan.QueueOf(happened.Message))].Receive();
                break;
            case EventKind.Room:
                _asks[(happened.Life, happened.Queue)].Room = happened.A;
                break;
            case EventKind.StopAsked:
                _stopping.Add(happened.Life);
                break;
            case EventKind.Resumed:
                for (var queue = 0; queue < Plan.Queues.Length; queue++)
                    _asks[(happened.Life, queue)].Since = happened.Time;
                break;
            // What comes after a handler's end has its turns in the same lane, and is no handler.
            case EventKind.Begun or EventKind.GoesOn when !_stopping.Contains(happened.Life):
                Look(happened);
                break;
        }

        Follow(happened);
    }

    private void Follow(Event happened)
    {
        for (var queue = 0; queue < Plan.Queues.Length; queue++)
        {
            var ask = _asks[(happened.Life, queue)];
            if (!ask.IsDue || !Needs.AreSlight(happened.Life, queue))
                ask.Since = null;
            else
                ask.Since ??= happened.Time;
        }
    }

    private void Look(Event turn)
    {
        for (var queue = 0; queue < Plan.Queues.Length; queue++)
        {
            var ask = _asks[(turn.Life, queue)];
            if (turn.Time - ask.Since <= s_longest || ask.Since is null || HasBrakes(turn.Life, queue))
                continue;

            Broken($"A handler had a turn, and queue {queue}, which has room and hardly wants a thread, has waited for its own since {ask.Since.Value.TotalSeconds:0.0000}.");
            ask.Since = turn.Time;
        }
    }

    // That a breaker or a rate lets more in the Pacer must find out first, and for that it needs a thread where there is but one.
    private bool HasBrakes(int life, int queue) => WorkerOf(life).Queues[queue] is not { Breaker: null, RateLimit: null };

    private sealed class Ask
    {
        public bool IsAnswered { get; set; }

        /// <summary>At the least: what has become free since a thread last took something up is not reckoned with.</summary>
        public long Room { get; set; }

        /// <summary>Since when it has been due without a break, with nothing in its own way.</summary>
        public TimeSpan? Since { get; set; }

        public bool IsDue => IsAnswered && Room > 0;

        public void Receive()
        {
            IsAnswered = true;
            Room--;
        }
    }
}
