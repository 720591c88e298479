using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>Has messages of one key handled one at a time, in the order in which they arrived, and tells the next when its turn comes. Any thread.</summary>
internal sealed class KeyOrder(string by)
{
    private readonly bool _isBySession = OrderKey.IsSession(by);
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Line> _lines = [];
    private bool _isClosed;

    /// <summary>Null where nothing is to be ordered.</summary>
    public static KeyOrder? By(string? by) => string.IsNullOrWhiteSpace(by) ? null : new(by);

    /// <summary>Takes its place behind those of its key that are in hand. True where there are none: its turn is now.</summary>
    public bool Enter(Journey journey)
    {
        if (KeyOf(journey.Lease.Delivery) is not { } key)
            return true;

        lock (_gate)
        {
            if (!_lines.TryGetValue(key, out var line))
                _lines.Add(key, line = new());
            line.Enqueue(journey);
            return line.Count == 1 && !_isClosed;
        }
    }

    /// <summary>Its turn is over, if it had one: the next of its key has it.</summary>
    public void Leave(Journey journey)
    {
        if (KeyOf(journey.Lease.Delivery) is { } key && NextAfter(journey, key) is { } next)
            next.Run();
    }

    /// <summary>
    /// Nobody's turn comes any more: at a stop all that have not begun are given back, one after another, and none of them may begin because the one before it has gone.
    /// </summary>
    public void Close()
    {
        lock (_gate)
            _isClosed = true;
    }

    private Journey? NextAfter(Journey journey, string key)
    {
        lock (_gate)
        {
            if (_isClosed || !_lines.TryGetValue(key, out var line))
                return null;
            if (line.Peek() != journey)
            {
                line.NoteLeft();
                return null;
            }

            // One that was given back while it waited does not want its turn any more.
            line.Dequeue();
            while (line.TryPeek(out var next))
            {
                if (!next.HasBegun)
                    return next;
                line.Dequeue();
            }

            _lines.Remove(key);
            return null;
        }
    }

    private string? KeyOf(Delivery delivery) =>
        _isBySession && delivery.Session is { Id.Length: > 0 } session ? session.Id : OrderKey.Of(delivery.Message, by);

    /// <summary>The messages of one key, the one whose turn it is in front.</summary>
    private sealed class Line : Queue<Journey>
    {
        private int _left;

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
