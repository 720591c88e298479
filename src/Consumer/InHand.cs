using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>The messages of a queue that are in hand, each until it is settled or lost and its handler has ended. Any thread.</summary>
internal sealed class InHand
{
    private readonly Lock _gate = new();
    private readonly HashSet<Journey> _journeys = [];
    private readonly CompletedInHand _completed = new();
    private TaskCompletionSource? _whenEmpty;
    private int _count;
    private long _bytes;

    public int Count => Volatile.Read(ref _count);

    /// <summary>How much room the messages take.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    public void Enter(Journey journey)
    {
        lock (_gate)
        {
            _journeys.Add(journey);
            _count = _journeys.Count;
            _bytes += journey.Bytes;
            _completed.Enter(journey, _journeys);
        }
    }

    /// <summary>A message is out of our hands. False if it was already.</summary>
    public bool Leave(Journey journey)
    {
        TaskCompletionSource? empty;
        lock (_gate)
        {
            var wasInHand = _journeys.Remove(journey);
            _completed.Leave(journey, wasInHand);
            if (!wasInHand)
                return false;
            _count = _journeys.Count;
            _bytes -= journey.Bytes;
            empty = _count == 0 ? _whenEmpty : null;
        }

        empty?.TrySetResult();
        return true;
    }

    /// <summary>A message is completed, and will be settled.</summary>
    public void Complete(Journey journey) => _completed.Complete(journey);

    /// <summary>Whether an earlier delivery of a message that has come again is completed, and still on its way to be settled.</summary>
    public bool IsBeingSettled(Journey journey) => _completed.Contains(journey);

    /// <summary>Completes once nothing is in hand. For the drain: nothing new comes in then.</summary>
    public Task EmptyAsync()
    {
        lock (_gate)
        {
            if (_journeys.Count == 0)
                return Task.CompletedTask;
            _whenEmpty ??= new TaskCompletionSource();
            return _whenEmpty.Task;
        }
    }

    public Journey[] All()
    {
        lock (_gate)
            return [.. _journeys];
    }

    /// <summary>How many of the messages want a thread: those that wait for one, and those that have one beside.</summary>
    public ThreadNeed ThreadNeed(LaneActivity activity)
    {
        var (waiting, running) = (0, 0);
        lock (_gate)
        {
            foreach (var journey in _journeys)
            {
                if (journey.WaitsForThread)
                    waiting++;
                else if (journey.IsRunning(activity))
                    running++;
            }

            return new(_count, waiting, running);
        }
    }

    /// <summary>Adds up the messages whose handlers have not begun, by priority.</summary>
    public void CountUnbegun(Span<int> byPriority)
    {
        lock (_gate)
        {
            foreach (var journey in _journeys)
            {
                if (!journey.HasBegun)
                    byPriority[Math.Min(journey.Priority, byPriority.Length - 1)]++;
            }
        }
    }
}
