using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>The consumers of one channel, opened and ended so that the server lets us have as many messages as are wanted. Any thread.</summary>
internal sealed class Taps
{
    // So much is gathered that a few consumers can take the place of many messages that end one by one; and nobody notices the wait.
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(25);

    private readonly Intake _intake;
    private readonly ITimer _patience;
    private readonly Lock _gate = new();
    private readonly Lock _sayer = new();
    private readonly List<Tap> _open = [];
    private readonly List<Tap> _ended = [];
    private Task _turning = Task.CompletedTask;
    private Task _said = Task.CompletedTask;
    private int _asking;
    private int _wanted;
    private int _number;
    private int _prefetch = 1;
    private bool _isTurning;
    private bool _isParched;

    public Taps(Intake intake)
    {
        _intake = intake;
        _patience = intake.Time.CreateTimer(static taps => ((Taps)taps!).LookAgain(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Whether somebody asks, and nothing that came is unsettled.</summary>
    public bool AreDry
    {
        get
        {
            lock (_gate)
                return _asking > 0 && Sum(_open, tap => tap.Unsettled) + Leftover() == 0;
        }
    }

    /// <summary>Whether somebody asks.</summary>
    public bool AreAsked
    {
        get
        {
            lock (_gate)
                return _asking > 0;
        }
    }

    private IChannel Channel => _intake.Channel;

    // Somebody asks, not all that he asked for may come, and nothing can before something ends.
    private bool IsShort => _asking > 0 && _wanted > Sum(_open, tap => tap.Prefetch) + Leftover() && _open.TrueForAll(tap => tap.Unsettled >= tap.Prefetch);

    /// <summary>A receive asks for so many more than are in the engine's hands, and does until it leaves; what is on the shelf is among them.</summary>
    public void Ask(int room, int onShelf)
    {
        lock (_gate)
        {
            _asking++;
            _wanted = Math.Max(0, Sum(_open, tap => tap.Unsettled) + Leftover() - onShelf) + room;
            Turn();
        }
    }

    /// <summary>That receive is over. What it asked for may still come.</summary>
    public void Leave()
    {
        lock (_gate)
            _asking--;
    }

    /// <summary>Asks for nothing more, unless others ask than those who are leaving. Completes once nothing more can come.</summary>
    public Task ShutAsync(int leaving)
    {
        lock (_gate)
        {
            if (_asking > leaving)
                return Task.CompletedTask;

            _wanted = 0;
            Turn();
            return _turning;
        }
    }

    /// <summary>A delivery has come to its end. Where its consumer is open the server sends the next by it; otherwise another consumer may have to be opened.</summary>
    public void Settled(Tap tap)
    {
        tap.Settled();
        if (!tap.IsEnding)
            return;
        lock (_gate)
        {
            if (_asking > 0)
                Turn();
        }
    }

    public ValueTask EndAsync() => _patience.DisposeAsync();

    /// <summary>A question that changes nothing and that every server answers: the prefetch as it was last set.</summary>
    public Task AskForSignOfLifeAsync() => InTurnAsync(() => SayAsync(_prefetch));

    private void Turn()
    {
        if (_isTurning)
            return;
        if (Next() == PrefetchChange.None)
        {
            BePatient();
            return;
        }

        _isTurning = true;
        _turning = TurnAsync();
    }

    private void BePatient()
    {
        if (IsShort)
            _patience.Change(s_patience, Timeout.InfiniteTimeSpan);
    }

    private void LookAgain()
    {
        lock (_gate)
        {
            _isParched = !_isTurning && IsShort;
            if (_isParched)
                Turn();
        }
    }

    private async Task TurnAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            while (true)
            {
                PrefetchChange change;
                lock (_gate)
                {
                    change = Next();
                    _isTurning = change != PrefetchChange.None;
                    _isParched = false;
                    if (!_isTurning)
                        BePatient();
                }

                if (change == PrefetchChange.None)
                    return;
                await (change.IsEnd ? EndAllAsync() : AddAsync(change.More)).ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            // It stays turning: on a channel that failed there is nothing more to turn.
            _intake.Fail(e);
        }
    }

    private Task AddAsync(int prefetch) => InTurnAsync(async () =>
    {
        var tap = new Tap(_intake, prefetch) { Tag = $"{_intake.Name}-{++_number}" };
        _prefetch = prefetch;
        await SayAsync(prefetch).ConfigureAwait(false);

        // Its first delivery may be here before the answer is.
        lock (_gate)
            _open.Add(tap);
        await _intake.AnswerAsync(Channel.BasicConsumeAsync(_intake.Queue, autoAck: false, tap.Tag, noLocal: false, exclusive: false, _intake.ConsumerArguments, tap)).ConfigureAwait(false);
        (_intake.HasWorked, _intake.IsOnTrial) = (true, false);
    });

    private Task SayAsync(int prefetch) => Channel.BasicQosAsync(0, (ushort)prefetch, global: false);

    // A sign of life that still said the last prefetch, between a consumer and its own, would give it to that consumer for as long as it lives.
    private Task InTurnAsync(Func<Task> say)
    {
        lock (_sayer)
            return _said = AfterAsync(_said, say);
    }

    private static async Task AfterAsync(Task before, Func<Task> say)
    {
        await before.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await say().ConfigureAwait(false);
    }

    private async Task EndAllAsync()
    {
        Tap[] ending;
        lock (_gate)
        {
            ending = [.. _open];
            Array.ForEach(ending, tap => tap.End());
            _open.Clear();
            _ended.AddRange(ending);
        }

        foreach (var tap in ending)
        {
            await Channel.BasicCancelAsync(tap.Tag).ConfigureAwait(false);
            await tap.Ended.ConfigureAwait(false);
        }
    }

    private PrefetchChange Next() => Prefetch.Change(_wanted, Sum(_open, tap => tap.Prefetch), _open.Count, Leftover(), _isParched);

    private int Leftover()
    {
        _ended.RemoveAll(tap => tap.Unsettled == 0 && tap.Ended.IsCompleted);
        return Sum(_ended, tap => tap.Unsettled);
    }

    private static int Sum(List<Tap> taps, Func<Tap, int> number)
    {
        var sum = 0;
        foreach (var tap in taps)
            sum += number(tap);
        return sum;
    }
}
