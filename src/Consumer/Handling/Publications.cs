namespace Holdfast.Consumer;

/// <summary>What one call of a handler wants sent: whoever works for it adds to it, on any thread, until the call has ended.</summary>
internal sealed class Publications
{
    /// <summary>Those of a call that has ended without any.</summary>
    public static readonly Publications None = new() { _isClosed = true };

    private readonly Lock _gate = new();
    private readonly List<Publication> _all = [];
    private bool _isClosed;

    /// <exception cref="InvalidOperationException">The call has ended: what came now would never be sent.</exception>
    public void Add(params ReadOnlySpan<Publication> next)
    {
        lock (_gate)
        {
            if (_isClosed)
                throw new InvalidOperationException($"The handler has ended already, so what it publishes to {next[0].Queue} now would never be sent; await all work that publishes, or send at once, with Senders.");
            _all.AddRange(next);
        }
    }

    public Publication[] Look()
    {
        lock (_gate)
            return [.. _all];
    }

    /// <summary>All there will ever be.</summary>
    public Publication[] Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            return [.. _all];
        }
    }
}
