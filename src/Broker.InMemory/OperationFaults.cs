namespace Holdfast.Broker.InMemory;

/// <summary>What goes wrong with one kind of operation, for the next so many calls or until it is healed.</summary>
public sealed class OperationFaults
{
    private readonly Lock _gate = new();
    private readonly InMemoryBroker _broker;
    private readonly string _operation;
    private volatile bool _any;
    private TimeSpan _delay;
    private int _silences;
    private int _failures;
    private bool _isTransient;

    internal OperationFaults(InMemoryBroker broker, string operation) => (_broker, _operation) = (broker, operation);

    internal bool Any => _any;

    internal bool AnswerTravels { get; init; } = true;

    /// <summary>
    /// Each call takes this long: half of it on the way to the broker, half on the way back.
    /// A receive spends all of it on the way there, for its answer is the arrival itself.
    /// </summary>
    public void Slow(TimeSpan by) => Script(() => _delay = by);

    /// <summary>Calls fail, and never reach the broker.</summary>
    public void Fail(int times = int.MaxValue, bool isTransient = true) =>
        Script(() => (_failures, _isTransient) = (times, isTransient));

    /// <summary>Calls never reach the broker, and never end unless they are cancelled.</summary>
    public void Silence(int times = int.MaxValue) => Script(() => _silences = times);

    /// <summary>Calls work again. Those that are under way go on as they began.</summary>
    public void Heal() => Script(() => (_delay, _silences, _failures) = (TimeSpan.Zero, 0, 0));

    /// <summary>Takes one call to the broker and back, with whatever is scripted to happen to it.</summary>
    internal async ValueTask<T> RunAsync<T>(Func<ValueTask<T>> call, CancellationToken closing, CancellationToken cancel)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(closing, cancel);
        var fate = Next();
        var back = AnswerTravels && fate.Delay > TimeSpan.Zero ? fate.Delay / 2 : TimeSpan.Zero;
        await Pause.Start(_broker.Options.TimeProvider, fate.Delay - back, either.Token).ConfigureAwait(false);
        if (fate.Failure is not null)
            throw fate.Failure;

        var answer = await call().ConfigureAwait(false);
        var wasCut = _broker.Faults.IsCut;
        await Pause.Start(_broker.Options.TimeProvider, back, either.Token).ConfigureAwait(false);
        if (_broker.Faults.IsCut && !wasCut)
            throw Faults.ConnectionCut();
        return answer;
    }

    private (TimeSpan Delay, BrokerException? Failure) Next()
    {
        (TimeSpan, BrokerException?) fate = default;
        Script(() =>
        {
            if (_silences > 0)
                (_silences, fate) = (_silences - 1, (Timeout.InfiniteTimeSpan, null));
            else if (_failures > 0)
                (_failures, fate) = (_failures - 1, (_delay, Failure()));
            else
                fate = (_delay, null);
        });
        return fate;
    }

    private BrokerException Failure() => new($"The in-memory broker was told to fail this {_operation}.", _isTransient);

    private void Script(Action change)
    {
        lock (_gate)
        {
            change();
            _any = _delay > TimeSpan.Zero || _silences > 0 || _failures > 0;
        }
    }
}
