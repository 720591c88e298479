using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Gives up on settlements that their links leave unanswered. One timer does for all of them, because they come due in the order in which they were told,
/// as long as locks last as long as they did: a shorter one may wait for those before it. Any thread.
/// </summary>
internal sealed class LinkPatience
{
    private readonly Lock _gate = new();
    private readonly Queue<(AmqpDelivery Receipt, long DueAt)> _told = new();
    private readonly TimeProvider _time;

    // Never disposed of: while it is set somebody waits, and else nothing keeps it.
    private readonly ITimer _timer;
    private bool _isSet;

    public LinkPatience(TimeProvider time)
    {
        _time = time;
        _timer = time.CreateTimer(static patience => ((LinkPatience)patience!).GiveUpOverdue(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>It is being settled, and may be so for that long.</summary>
    public void Watch(AmqpDelivery receipt, TimeSpan patience)
    {
        lock (_gate)
        {
            while (_told.TryPeek(out var first) && first.Receipt.IsSettled)
                _told.Dequeue();
            _told.Enqueue((receipt, _time.GetTimestamp() + (long)(patience.TotalSeconds * _time.TimestampFrequency)));
            if (!_isSet)
                SetTimer(patience);
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
            while (_told.TryPeek(out var first))
            {
                var left = _time.GetElapsedTime(_time.GetTimestamp(), first.DueAt);
                if (left > TimeSpan.Zero && !first.Receipt.IsSettled)
                {
                    SetTimer(left);
                    return null;
                }

                _told.Dequeue();
                if (!first.Receipt.IsSettled)
                    return first.Receipt;
            }

            return null;
        }
    }

    private void SetTimer(TimeSpan left)
    {
        _isSet = true;
        _timer.Change(left, Timeout.InfiniteTimeSpan);
    }
}
