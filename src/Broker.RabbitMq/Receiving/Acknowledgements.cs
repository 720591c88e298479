namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Sends a channel's acknowledgements. Those that come while one is on its way travel together, and one frame stands for all of them
/// where nothing before the last is still in hand: that spares both ends most of the work. Any thread; sends on the pool, where the client does.
/// </summary>
internal sealed class Acknowledgements(Intake intake) : IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private readonly EndedTags _ended = new();
    private List<ulong> _waiting = [];
    private List<ulong> _sending = [];
    private bool _isSending;

    public void Add(ulong tag)
    {
        lock (_gate)
        {
            _waiting.Add(tag);
            _ended.Add(tag);
            if (_isSending)
                return;
            _isSending = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>A delivery has ended in another way, and the server has been told: before that, no acknowledgement may stand for it too.</summary>
    public void Pass(ulong tag)
    {
        lock (_gate)
            _ended.Add(tag);
    }

    public void Execute() => _ = SendAsync();

    private async Task SendAsync()
    {
        try
        {
            while (TakeWaiting(out var allUpTo))
            {
                if (allUpTo > 0)
                    await intake.Channel.BasicAckAsync(allUpTo, multiple: true).ConfigureAwait(false);
                foreach (var tag in _sending)
                    await intake.Channel.BasicAckAsync(tag, multiple: false).ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            // The channel is gone, and with it the leases: whoever counted on these is found among what is in doubt.
            intake.Fail(e);
        }
    }

    // One number for all those that it may stand for; the rest is left in _sending.
    private bool TakeWaiting(out ulong allUpTo)
    {
        lock (_gate)
        {
            allUpTo = 0;
            (_waiting, _sending) = (_sending, _waiting);
            _waiting.Clear();
            _isSending = _sending.Count > 0;

            var rest = 0;
            foreach (var tag in _sending)
            {
                if (tag <= _ended.AllUpTo)
                    allUpTo = Math.Max(allUpTo, tag);
                else
                    _sending[rest++] = tag;
            }

            _sending.RemoveRange(rest, _sending.Count - rest);
            return _isSending;
        }
    }
}
