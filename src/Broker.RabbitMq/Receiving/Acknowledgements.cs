namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Sends a channel's acknowledgements. Those that come while others are on their way travel together, and one frame stands for all of them
/// where nothing before the last is still in hand: that spares both ends most of the work. Any thread; sends on the pool, where the client does.
/// </summary>
internal sealed class Acknowledgements(Intake intake)
{
    private readonly Lock _gate = new();
    private readonly EndedTags _ended = new();
    private List<ulong> _waiting = [];
    private List<ulong> _taken = [];
    private Task _sending = Task.CompletedTask;
    private bool _isSending;

    /// <summary>Completes once all that were added before are sent.</summary>
    public Task SentAsync()
    {
        lock (_gate)
            return _sending;
    }

    public void Add(ulong tag)
    {
        lock (_gate)
        {
            _waiting.Add(tag);
            _ended.Add(tag);
            if (_isSending)
                return;
            _isSending = true;
            _sending = SendAsync();
        }
    }

    /// <summary>A delivery has ended in another way, and the server has been told: before that, no acknowledgement may stand for it too.</summary>
    public void Pass(ulong tag)
    {
        lock (_gate)
            _ended.Add(tag);
    }

    private async Task SendAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            while (TakeWaiting(out var allUpTo))
            {
                if (allUpTo > 0)
                    await intake.Channel.BasicAckAsync(allUpTo, multiple: true).ConfigureAwait(false);
                foreach (var tag in _taken)
                    await intake.Channel.BasicAckAsync(tag, multiple: false).ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            // The channel is gone, and with it the leases: what relied on this is found among the settlements in doubt.
            intake.Fail(e);
        }
    }

    // One number for all those that it may stand for; the others are left among those taken.
    private bool TakeWaiting(out ulong allUpTo)
    {
        lock (_gate)
        {
            (_waiting, _taken) = (_taken, _waiting);
            _waiting.Clear();
            _isSending = _taken.Count > 0;

            allUpTo = 0;
            foreach (var tag in _taken)
            {
                if (tag <= _ended.AllUpTo)
                    allUpTo = Math.Max(allUpTo, tag);
            }

            var covered = allUpTo;
            _taken.RemoveAll(tag => tag <= covered);
            return _isSending;
        }
    }
}
