using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// One receiving link's life: what it brings goes to whoever waits, and the broker may send just as much as they have room for. Any thread;
/// messages come in, and receives complete, on the connection's reader thread.
/// </summary>
internal sealed class Intake
{
    // What nobody takes shall not keep coming.
    private static readonly TimeSpan s_shutAfter = TimeSpan.FromMilliseconds(100);

    // The broker ends a link on which nothing has travelled for ten minutes. One that it ends sooner has a trouble that must be told.
    private static readonly TimeSpan s_leastRest = TimeSpan.FromMinutes(1);

    private readonly EntityName _entity;
    private readonly Handover _handover;
    private readonly Incoming _incoming;
    private readonly Problems _problems;
    private readonly Func<Exception, BrokerException> _explain;
    private readonly TimeSpan _timeToDrain;
    private readonly TimeProvider _time;
    private readonly ITimer _unclaimed;
    private readonly Lock _gate = new();
    private AmqpReceiver? _link;
    private BrokerException? _end;
    private long _openedAt;
    private int _isWatching;
    private volatile bool _wasLate;

    public Intake(EntityName entity, Handover handover, Incoming incoming, Problems problems, Func<Exception, BrokerException> explain, TimeSpan timeToDrain, TimeProvider time)
    {
        (_entity, _handover, _incoming, _problems, _explain, _timeToDrain, _time) = (entity, handover, incoming, problems, explain, timeToDrain, time);
        _unclaimed = time.CreateTimer(static intake => ((Intake)intake!).LookAtUnclaimed(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The link's name, while it lives.</summary>
    public string? LivingLink => _link is { Failure: null } link ? link.Name : null;

    /// <summary>Whether the broker has ended it for nothing but its quiet: another one is to be opened, and nobody need hear of it.</summary>
    public bool HasRested =>
        _link is { Failure: { Level: AmqpLevel.Link, Condition.Value: Conditions.DetachForced } } && _time.GetElapsedTime(_openedAt) >= s_leastRest;

    /// <summary>Whether it ended for nothing that anybody need hear of: for its quiet, or because the broker was late to take credit back.</summary>
    public bool EndedInPeace => _wasLate || HasRested;

    public bool IsOver => Volatile.Read(ref _end) is not null || _link is { Failure: not null };

    /// <exception cref="AmqpException">The broker refuses the link, or the connection has ended.</exception>
    public async ValueTask OpenAsync(Func<ReceiverOptions, ValueTask<AmqpReceiver>> open)
    {
        _openedAt = _time.GetTimestamp();
        _link = await open(new()
        {
            Source = new Source { Address = _entity.Path },
            SettleMode = ReceiverSettleMode.Second,
            SenderSettleMode = SenderSettleMode.Unsettled,
            OnDelivery = OnDelivery,
            OnBurst = OnBurst,
            // The broker had let us have it, so whatever it says is not for good.
            OnClosed = problem => End(_explain(problem).ForNow()),
        }).ConfigureAwait(false);
    }

    /// <summary>Lets the broker send what there is room for.</summary>
    public void Ask()
    {
        lock (_gate)
            _link!.SetCredit((uint)_handover.Demand);
    }

    /// <summary>Somebody went away with less than there was room for, or nobody has come yet: the rest is taken back unless it is asked for soon.</summary>
    public void Watch()
    {
        if (Interlocked.Exchange(ref _isWatching, 1) == 0)
            _unclaimed.Change(s_shutAfter, Timeout.InfiniteTimeSpan);
    }

    /// <summary>How long the next one is to wait for the broker to take credit back: where it was late this time, it may be throttled and late again.</summary>
    public TimeSpan NextTimeToDrain(TimeSpan most) => !_wasLate ? _timeToDrain : _timeToDrain * 2 < most ? _timeToDrain * 2 : most;

    /// <summary>
    /// Has a wait end: what was sent to us before the broker heard of it is handed over, and no credit stays that only it had asked for. False where it was served before.
    /// </summary>
    public async ValueTask<bool> TryLeaveAsync(Wait wait)
    {
        _handover.BeginLeaving(wait);
        if (!IsOver)
            await ShutAsync().ConfigureAwait(false);
        if (!_handover.TryLeave(wait))
            return false;

        if (_handover.HasWaiting && !IsOver)
            Ask();
        return true;
    }

    /// <summary>Takes back all credit, unless somebody waits who is not about to leave. Completes when nothing can come that was not asked for.</summary>
    public async Task ShutAsync()
    {
        Task draining;
        lock (_gate)
        {
            // Looked at where credit is given: who comes later asks after the drain has begun, and is given it once that ends. Otherwise it would drain what was just asked for.
            if (_handover.HasWaiting)
                return;
            draining = _link!.DrainAsync(CancellationToken.None).AsTask();
        }

        await draining.WaitAsync(_timeToDrain, _time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!draining.IsCompleted)
            GiveUp();
    }

    public void ThrowIfOver()
    {
        if (Volatile.Read(ref _end) is { } end)
            throw end.Again();

        // The link has ended, and is about to say so.
        if (_link is { Failure: { } failure })
            throw _explain(failure).ForNow();
    }

    public async ValueTask CloseAsync()
    {
        await _unclaimed.DisposeAsync().ConfigureAwait(false);

        // A link that the broker has detached leaves its session behind, and a connection has only so many.
        if (_link is { } link)
            await link.Session.LeaveAsync(_time).ConfigureAwait(false);
    }

    private void OnDelivery(AmqpDelivery receipt)
    {
        ServiceBusDelivery delivery;
        try
        {
            delivery = _incoming.Read(receipt, session: null);
        }
        catch (BrokerException problem)
        {
            // Closed unsettled: whatever it was stays the broker's.
            End(problem);
            _ = CloseAsync().AsTask();
            return;
        }

        _handover.Add(delivery);
    }

    private void OnBurst()
    {
        _handover.HandOver();
        if (_handover.HasWaiting)
            Ask();
        else
            Watch();
    }

    private void LookAtUnclaimed()
    {
        // With a full fence: who comes after this look sets the timer anew.
        Interlocked.Exchange(ref _isWatching, 0);
        if (IsOver || _handover.HasWaiting)
            return;

        if (_link!.Credit > 0)
            _ = ShutAsync();
        if (_handover.GiveBackUnclaimed())
            Watch();
    }

    // The broker may still use its credit, and nobody waits: what has come goes back while the link is there to tell it by, and nothing more comes.
    private void GiveUp()
    {
        _wasLate = true;
        End(_problems.Silence(_entity, "to send nothing more", _timeToDrain));
        Array.ForEach(_handover.TakeAll(), Settler.GiveBack);
        _ = CloseAsync().AsTask();
    }

    private void End(BrokerException why)
    {
        if (Interlocked.CompareExchange(ref _end, why, null) is not null)
            return;
        if (EndedInPeace)
            _handover.Dismiss();
        else
            _handover.Fail(why.Again);
    }
}
