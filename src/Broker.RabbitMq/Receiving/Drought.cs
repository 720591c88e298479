namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Looks after an intake that gets nothing. A queue may be down, or a server may have lost sight of a consumer, and neither is told to us: so the queue is asked
/// for now and then, and an intake that it does not serve is ended, for another to be opened. Only while nothing is in hand: no lease ends for it.
/// What was settled last is asked about as well, for then there are no renewals to do that.
/// </summary>
internal sealed class Drought
{
    // Two looks that find something wrong are enough, and four that may have found nothing but a slow server.
    private const int Clear = 2;
    private const int Vague = 1;
    private const int Enough = 4;

    private readonly Intake _intake;
    private readonly DroughtPatience _patience;
    private readonly ITimer _next;
    private long _arrivals;
    private long _seen;
    private int _evidence;

    public Drought(Intake intake, DroughtPatience patience)
    {
        (_intake, _patience) = (intake, patience);
        _next = intake.Time.CreateTimer(static drought => _ = ((Drought)drought!).LookAsync(), this, patience.Length, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Something has arrived. The client's threads only, one at a time.</summary>
    public void Arrived()
    {
        Volatile.Write(ref _arrivals, _arrivals + 1);
        if (_patience.TryRestore())
            _next.Change(_patience.Length, Timeout.InfiniteTimeSpan);
    }

    public ValueTask EndAsync() => _next.DisposeAsync();

    private async Task LookAsync()
    {
        var arrivals = Volatile.Read(ref _arrivals);
        var isDry = arrivals == _seen && _intake.IsDry;
        _seen = arrivals;

        if (isDry)
            _intake.ClearDoubt();

        // Messages that are there at one look may be on their way to us, or to somebody else; and a consumer may be just opening.
        var (problem, weight) = isDry ? await AskAsync().ConfigureAwait(false) : default;
        var isNotServed = problem is not null && _intake.IsDry && Volatile.Read(ref _arrivals) == arrivals;
        _evidence = isNotServed ? _evidence + weight : 0;
        if (_evidence >= Enough)
        {
            _patience.Lengthen();
            _intake.Abandon(problem!);
        }

        if (!_intake.IsOver)
            _next.Change(_patience.Length, Timeout.InfiniteTimeSpan);
    }

    // What is wrong, as far as the queue can tell. That it does not answer is an answer as well. But a server that has asked a quorum queue's leader
    // for 250 ms in vain says the same as of a queue that has neither messages nor consumers.
    private async Task<(Exception? Problem, int Weight)> AskAsync()
    {
        try
        {
            return await _intake.Look().ConfigureAwait(false) switch
            {
                { MessageCount: 0, ConsumerCount: > 0 } => default,
                { MessageCount: 0 } => (Problems.NotKnown(_intake.Queue), Vague),
                var queue => (Problems.NotServed(_intake.Queue, queue.MessageCount, queue.ConsumerCount), Clear),
            };
        }
        catch (Exception e)
        {
            return (e, Clear);
        }
    }
}
