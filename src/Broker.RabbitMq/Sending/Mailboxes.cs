namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// A mailbox for each queue that is sent to, so that none waits for what another does not take. A connection has room for so many channels only:
/// of very many queues a further one takes over the mailbox that was idle for longest, or shares one that is busy. Any thread.
/// </summary>
internal sealed class Mailboxes(TimeProvider time)
{
    private const int Most = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, Mailbox> _own = new(StringComparer.Ordinal);
    private readonly List<Mailbox> _all = [];
    private long _uses;

    public Mailbox Of(string queue)
    {
        lock (_gate)
        {
            if (!_own.TryGetValue(queue, out var mailbox))
            {
                mailbox = _all.Count < Most ? Further() : TakenOver(queue);
                if (mailbox is null)
                    return SharedBy(queue);
                _own[queue] = mailbox;
            }

            mailbox.LastUse = ++_uses;
            return mailbox;
        }
    }

    private Mailbox Further()
    {
        var mailbox = new Mailbox(time);
        _all.Add(mailbox);
        return mailbox;
    }

    // What is on its way by the one that it shares may be of this queue, and what comes next must not overtake it.
    private Mailbox? TakenOver(string queue)
    {
        if (!SharedBy(queue).IsIdle || _own.Where(owned => owned.Value.IsIdle).OrderBy(owned => owned.Value.LastUse).Select(owned => owned.Key).FirstOrDefault() is not { } former)
            return null;
        _own.Remove(former, out var mailbox);
        return mailbox;
    }

    // Always the same.
    private Mailbox SharedBy(string queue) => _all[(int)((uint)queue.GetHashCode(StringComparison.Ordinal) % Most)];
}
