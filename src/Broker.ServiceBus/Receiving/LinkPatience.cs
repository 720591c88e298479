using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Gives up on settlements that their links leave unanswered. One timer does for all of them, because they come due in the order in which they were told,
/// as long as locks last as long as they did: a shorter one may wait for those before it. Any thread.
/// </summary>
internal sealed class LinkPatience
{
    private readonly Lock _gate = new();
    private readonly LinkedList<(AmqpDelivery Receipt, long DueAt)> _waiting = new();
    private readonly TimeProvider _time;

    // Never disposed of: while it is set somebody waits, and else nothing keeps it.
    private readonly ITimer _timer;
    private bool _isSet;

    public LinkPatience(TimeProvider time)
    {
        _time = time;
        _timer = time.CreateTimer(static patience => ((LinkPatience)patience!).GiveUpOverdue(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>It is being settled, and may be so for that long; until whoever waits for it disposes of this, once.</summary>
    public Watching Watch(AmqpDelivery receipt, TimeSpan patience)
    {
        lock (_gate)
        {
            var one = _waiting.AddLast((receipt, _time.GetTimestamp() + (long)(patience.TotalSeconds * _time.TimestampFrequency)));
            if (!_isSet)
                SetTimer(patience);
            return new(this, one);
        }
    }

    private void End(LinkedListNode<(AmqpDelivery Receipt, long DueAt)> one)
    {
        lock (_gate)
        {
            // It may have been given up.
            if (one.List is not null)
                _waiting.Remove(one);
        }
    }

    private void GiveUpOverdue()
    {
        while (NextOverdue() is { } receipt)
            receipt.Receiver.GiveUp(receipt);
    }

    // Null, and the timer set for the next one, where none is.
    private AmqpDelivery? NextOverdue()
    {
        lock (_gate)
        {
            _isSet = false;
            if (_waiting.First is not { Value: var first })
                return null;
            if (_time.GetElapsedTime(_time.GetTimestamp(), first.DueAt) is { Ticks: > 0 } left)
            {
                SetTimer(left);
                return null;
            }

            _waiting.RemoveFirst();
            return first.Receipt;
        }
    }

    private void SetTimer(TimeSpan left)
    {
        _isSet = true;
        _timer.Change(left, Timeout.InfiniteTimeSpan);
    }

    /// <summary>That somebody waits for one to be settled. Nothing of it is kept once he does not.</summary>
    public readonly struct Watching(LinkPatience patience, LinkedListNode<(AmqpDelivery Receipt, long DueAt)> one) : IDisposable
    {
        public void Dispose() => patience.End(one);
    }
}
