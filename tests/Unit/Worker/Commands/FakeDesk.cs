using System.Runtime.CompilerServices;
using Holdfast.Broker;

namespace Holdfast.Tests.Unit.Worker.Commands;

/// <summary>A desk over dead letters in memory, which may break off after so many.</summary>
internal sealed class FakeDesk : IBrokerDesk, ISweep
{
    private readonly List<QueuedMessage> _taken = [];
    private readonly List<(string Id, string Why)> _unsent = [];
    private int _next;

    public List<QueuedMessage> Letters { get; init; } = [];

    public List<Finding> Findings { get; init; } = [];

    /// <summary>How many were taken with each commit.</summary>
    public List<int> Commits { get; } = [];

    /// <summary>The queue of the last look or sweep.</summary>
    public string? Place { get; private set; }

    public string? Target { get; private set; }

    public Func<Message, string?>? KeyOf { get; private set; }

    /// <summary>Before which message it fails.</summary>
    public int BreaksAt { get; init; } = int.MaxValue;

    /// <summary>How many messages were asked for in the last look or sweep.</summary>
    public int? Asked { get; private set; }

    /// <summary>How many more were there, which others hold.</summary>
    public int Held { get; init; }

    /// <summary>How many more were there, which nobody is handed.</summary>
    public long Deferred { get; init; }

    /// <summary>How many more were there, which nobody is handed yet.</summary>
    public long Scheduled { get; init; }

    /// <summary>Those that can't be sent again.</summary>
    public HashSet<string> Unfit { get; init; } = [];

    /// <summary>Where nothing can be sent to.</summary>
    public string? NoTarget { get; init; }

    public bool SeesHeld { get; init; } = true;

    public IReadOnlyList<(string Id, string Why)> Unsent => _unsent;

    public long? Count => Letters.Count + Held;

    public long Committed => Commits.Sum();

    public string DeadLettersOf(string queue) => $"{queue}/dead";

    public void ThrowIfNoTarget(string target)
    {
        if (target == NoTarget)
            throw new BrokerException("Nothing can be sent there.", isTransient: false);
    }

    public async IAsyncEnumerable<QueuedMessage> LookAsync(string queue, int? most, [EnumeratorCancellation] CancellationToken cancel)
    {
        (Place, Asked) = (queue, most);
        foreach (var letter in Letters.Take(most ?? int.MaxValue))
            yield return letter;
        await Task.CompletedTask;
    }

    public ValueTask<ISweep> SweepAsync(string queue, string? target, Func<Message, string?> keyOf, double? rate, int? most, CancellationToken cancel)
    {
        (Place, Target, KeyOf, Asked) = (queue, target, keyOf, most);
        return new(this);
    }

    public IAsyncEnumerable<Finding> CheckAsync(string queue, int maxDeliveries, CancellationToken cancel) => Findings.ToAsyncEnumerable();

    public ValueTask<QueuedMessage?> NextAsync(CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        return _next == BreaksAt ? throw new BrokerException("The broker is gone.", isTransient: true)
            : new(_next < Letters.Count ? Letters[_next++] : null);
    }

    public ValueTask TakeAsync(QueuedMessage message, CancellationToken cancel)
    {
        if (Unfit.Contains(message.Message.Id))
            _unsent.Add((message.Message.Id, "It is too large."));
        else
            _taken.Add(message);
        return ValueTask.CompletedTask;
    }

    public ValueTask CommitAsync(CancellationToken cancel)
    {
        if (_taken.Count > 0)
            Commits.Add(_taken.Count);
        _taken.Clear();
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
