namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Sends a channel's acknowledgements. Those that come while others are on their way travel together, and one frame stands for all of them
/// where nothing before the last is still in hand: that spares both ends most of the work. Any thread; sends on the pool, where the client does.
/// </summary>
internal sealed class Acknowledgements(Intake intake)
{
    private readonly Lock _gate = new();
    private readonly EndedTags _ended = new();
    private List<(ulong Tag, MessageKey? Key)> _waiting = [];
    private List<(ulong Tag, MessageKey? Key)> _taken = [];
    private Task _sending = Task.CompletedTask;
    private bool _isSending;

    /// <summary>Completes once all that were added before are sent.</summary>
    public Task SentAsync()
    {
        lock (_gate)
            return _sending;
    }

    /// <param name="tag">The delivery's.</param>
    /// <param name="key">The message's name; null where it has none.</param>
    public void Add(ulong tag, MessageKey? key)
    {
        lock (_gate)
        {
            _waiting.Add((tag, key));
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
        while (TakeWaiting(out var allUpTo))
        {
            try
            {
                if (!intake.HasFailed)
                    await SendTakenAsync(allUpTo).ConfigureAwait(false);
            }
            catch (Exception e)
            {
                intake.Fail(e);
            }

            // Sent or not: from now on it is up to the server's next answers whether they are in doubt.
            intake.Acknowledged(_taken);
        }
    }

    private async Task SendTakenAsync(ulong allUpTo)
    {
        if (allUpTo > 0)
            await intake.Channel.BasicAckAsync(allUpTo, multiple: true).ConfigureAwait(false);
        foreach (var (tag, _) in _taken)
        {
            if (tag > allUpTo)
                await intake.Channel.BasicAckAsync(tag, multiple: false).ConfigureAwait(false);
        }
    }

    // One number for all those that it may stand for; the others are sent by themselves.
    private bool TakeWaiting(out ulong allUpTo)
    {
        lock (_gate)
        {
            (_waiting, _taken) = (_taken, _waiting);
            _waiting.Clear();
            _isSending = _taken.Count > 0;

            allUpTo = 0;
            foreach (var (tag, _) in _taken)
            {
                if (tag <= _ended.AllUpTo)
                    allUpTo = Math.Max(allUpTo, tag);
            }

            return _isSending;
        }
    }
}
