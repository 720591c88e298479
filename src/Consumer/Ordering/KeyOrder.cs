using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>Has messages of one key handled one at a time, in the order in which they arrived, and tells the next when its turn comes. Any thread.</summary>
internal sealed class KeyOrder(string by, Clock clock)
{
    // Turns are not all alike: of the time that is left a quarter is reckoned with.
    private const int Caution = 4;
    private const int ForgettingTurn = 8;

    private readonly bool _isBySession = OrderKey.IsSession(by);
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Line> _lines = [];

    // What a key is read from may be changed by its handler: where it stood is known all the same.
    private readonly Dictionary<Journey, Line> _places = [];
    private TimeSpan? _turn;
    private bool _isHoldBounded;
    private bool _isClosed;

    /// <summary>Null where nothing is to be ordered.</summary>
    public static KeyOrder? By(string? by, Clock clock) => string.IsNullOrWhiteSpace(by) ? null : new(by, clock);

    /// <summary>How long a turn takes, as turns go; nothing as long as none has ended.</summary>
    public TimeSpan UsualTurn
    {
        get
        {
            lock (_gate)
                return _turn ?? TimeSpan.Zero;
        }
    }

    /// <summary>How many wait for others of their key.</summary>
    public int Waiting
    {
        get
        {
            lock (_gate)
                return _places.Count - _lines.Count;
        }
    }

    /// <summary>Takes its place behind those of its key that are in hand. True where there are none: its turn is now.</summary>
    public bool Enter(Journey journey)
    {
        if (KeyOf(journey.Lease.Delivery) is not { } key)
            return true;

        lock (_gate)
        {
            if (!_lines.TryGetValue(key, out var line))
                _lines.Add(key, line = new(key) { Since = clock.Now });
            line.Enqueue(journey);
            _isHoldBounded |= journey.Lease.Limit < TimeSpan.MaxValue;
            _places.Add(journey, line);
            return line.Count == 1 && !_isClosed;
        }
    }

    /// <summary>Its turn is over, if it had one: the next of its key has it.</summary>
    public void Leave(Journey journey) => NextAfter(journey)?.Run();

    /// <summary>
    /// How many wait for a turn that, as turns go, does not come in good time before nobody may hold them any longer. They would be given back, and
    /// come again behind others. As long as no turn has ended, nobody knows when the next one comes.
    /// </summary>
    public int CountLate()
    {
        lock (_gate)
        {
            // To count them takes the lease thread's time.
            if (!_isHoldBounded)
                return 0;

            var (late, now) = (0, clock.Now);
            foreach (var line in _lines.Values)
            {
                if (line.Count > 1)
                    late += CountLate(line, now);
            }

            return late;
        }
    }

    /// <summary>
    /// Nobody's turn comes any more: at a stop all that have not begun are given back, one after another, and none of them may begin because the one before it has gone.
    /// </summary>
    public void Close()
    {
        lock (_gate)
            _isClosed = true;
    }

    private int CountLate(Line line, TimeSpan now)
    {
        var late = 0;
        var turn = Times.Max(_turn ?? TimeSpan.MaxValue, line.LastTurn);

        // The one whose turn it is may take as long again; that says little of those behind it, whose slots others would want meanwhile.
        var wait = Times.Max(turn, now - line.Since);
        var first = line.Peek();
        foreach (var journey in line)
        {
            // One that was given back while it waited has no turn that others wait for.
            if (journey == first || journey.HasBegun)
                continue;

            if (journey.Lease.Limit < TimeSpan.MaxValue && wait > (journey.Lease.Limit - now) / Caution)
                late++;
            wait = turn < TimeSpan.MaxValue - wait ? wait + turn : TimeSpan.MaxValue;
        }

        return late;
    }

    private Journey? NextAfter(Journey journey)
    {
        lock (_gate)
        {
            // The line of one that is still being given back may have gone on without it, to its end.
            if (!_places.Remove(journey, out var line) || _isClosed || !line.TryPeek(out var first))
                return null;
            if (first != journey)
            {
                line.NoteLeft();
                return null;
            }

            // Without its handler it tells nothing of how long turns take.
            if (journey.WasCalled)
                EndTurn(line);
            line.Since = clock.Now;
            line.Dequeue();

            // One that was given back while it waited does not want its turn any more.
            while (line.TryPeek(out var next))
            {
                if (!next.HasBegun)
                    return next;
                line.Dequeue();
            }

            _lines.Remove(line.Key);
            return null;
        }
    }

    private void EndTurn(Line line)
    {
        line.LastTurn = clock.Now - line.Since;
        _turn = _turn is { } usual ? usual + ((line.LastTurn - usual) / ForgettingTurn) : line.LastTurn;
    }

    private string? KeyOf(Delivery delivery) =>
        _isBySession && delivery.Session is { Id.Length: > 0 } session ? session.Id : OrderKey.Of(delivery.Message, by);

    /// <summary>The messages of one key, the one whose turn it is in front.</summary>
    private sealed class Line(string key) : Queue<Journey>
    {
        private int _left;

        public string Key => key;

        /// <summary>When the turn of the one in front began.</summary>
        public TimeSpan Since { get; set; }

        public TimeSpan LastTurn { get; set; }

        /// <summary>One that waited does not wait any more. It stays, with its message, until such are half of the line: to find one costs as much as to find them all.</summary>
        public void NoteLeft()
        {
            if (++_left * 2 < Count)
                return;

            _left = 0;
            Enqueue(Dequeue());
            for (var waiting = Count - 1; waiting > 0; waiting--)
            {
                if (Dequeue() is { HasBegun: false } next)
                    Enqueue(next);
            }
        }
    }
}
