namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// A mailbox for each queue that is sent to, so that none waits for what another does not take. A connection has room for so many channels only:
/// of very many queues the later ones share. Any thread.
/// </summary>
internal sealed class Mailboxes(TimeProvider time)
{
    private const int Most = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, Mailbox> _own = new(StringComparer.Ordinal);
    private readonly List<Mailbox> _all = [];

    public Mailbox Of(string queue)
    {
        lock (_gate)
        {
            if (_own.TryGetValue(queue, out var own))
                return own;
            if (_all.Count == Most)
                return _all[(int)((uint)queue.GetHashCode(StringComparison.Ordinal) % Most)];

            own = new Mailbox(time);
            _all.Add(own);
            return _own[queue] = own;
        }
    }
}
