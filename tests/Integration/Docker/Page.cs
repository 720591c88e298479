using System.Collections.Concurrent;

namespace Holdfast.Tests.Integration.Docker;

/// <summary>What becomes of one lot of messages: a line for each time that one of them was handled to the end, and by whom.</summary>
internal sealed class Page(string name, int count, TimeSpan work)
{
    private readonly ConcurrentDictionary<string, ConcurrentQueue<string>> _workers = new();

    public string Name { get; } = name;

    /// <summary>The messages that are to be sent.</summary>
    public IReadOnlyCollection<string> Ids { get; } = [.. Enumerable.Range(0, count).Select(n => $"{name}-{n:00000}")];

    /// <summary>How long each takes.</summary>
    public TimeSpan Work { get; } = work;

    /// <summary>How many were handled, at least once.</summary>
    public int Handled => _workers.Count;

    public void Add(string id, string worker) => _workers.GetOrAdd(id, _ => new()).Enqueue(worker);

    /// <summary>Those that nobody has handled.</summary>
    public IEnumerable<string> Missing => Ids.Where(id => !_workers.ContainsKey(id));

    /// <summary>All that have handled any.</summary>
    public IEnumerable<string> Workers => _workers.Values.SelectMany(workers => workers).Distinct();

    /// <summary>Those that were handled more than once, not counting what these workers did.</summary>
    public IReadOnlyList<string> Repeats(params IEnumerable<Life> but)
    {
        var aside = but.SelectMany(life => life.Addresses).ToHashSet();
        return [.. from handled in _workers where handled.Value.Count(worker => !aside.Contains(worker)) > 1 select handled.Key];
    }
}
