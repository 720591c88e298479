namespace Holdfast.Amqp;

/// <summary>The links of a session, by our handles and by the peer's. Behind the gate.</summary>
/// <param name="handleMax">The last handle that the peer may take.</param>
internal sealed class LinkTable(uint handleMax)
{
    private readonly Slots<AmqpLink> _ours = new();
    private readonly Dictionary<uint, AmqpLink> _theirs = [];

    public IEnumerable<AmqpLink> All => _ours.Taken;

    /// <summary>Why there is no place for a link; null where it has one now.</summary>
    /// <param name="link">A new one.</param>
    /// <param name="largest">The last handle that we may take.</param>
    public AmqpException? TryAdd(AmqpLink link, uint largest)
    {
        if (All.Any(other => other.Name == link.Name && other.Role == link.Role))
            return new(AmqpLevel.Link, ErrorConditions.IllegalState, $"The session has a link {link.Name} already.");
        if (!_ours.TryTake(link, largest, out var handle))
            return new(AmqpLevel.Link, ErrorConditions.ResourceLimitExceeded, $"The session has no room for more than {_ours.Count} links.");
        link.Handle = handle;
        return null;
    }

    /// <summary>A link that never came to be attached.</summary>
    public void Remove(AmqpLink link) => _ours.Free(link.Handle);

    /// <summary>The link that the peer answers to.</summary>
    /// <exception cref="AmqpException">There is none, or its handle is not the peer's to take.</exception>
    public AmqpLink Attach(Attach attach)
    {
        if (attach.Handle > handleMax)
            throw new AmqpException(AmqpLevel.Connection, ErrorConditions.FramingError, $"The peer took the handle {attach.Handle}, and {handleMax} is the last.");
        if (_theirs.ContainsKey(attach.Handle))
            throw new AmqpException(AmqpLevel.Session, ErrorConditions.HandleInUse, $"The peer has a link with the handle {attach.Handle} already.");
        var link = All.FirstOrDefault(link => link.Name == attach.Name && link.Role != attach.Role && link.RemoteHandle is null)
            ?? throw new AmqpException(AmqpLevel.Session, ErrorConditions.NotAllowed, $"The peer attached a link {attach.Name} that nobody asked for.");
        _theirs.Add(attach.Handle, link);
        return link;
    }

    /// <exception cref="AmqpException">The peer has no such link.</exception>
    public AmqpLink Get(uint theirHandle) => _theirs.TryGetValue(theirHandle, out var link)
        ? link
        : throw new AmqpException(AmqpLevel.Session, ErrorConditions.UnattachedHandle, $"The peer has no link with the handle {theirHandle}.");

    /// <summary>The link that the peer has detached; its handles are free again.</summary>
    /// <exception cref="AmqpException">The peer has no such link.</exception>
    public AmqpLink Detach(uint theirHandle)
    {
        var link = Get(theirHandle);
        _theirs.Remove(theirHandle);
        _ours.Free(link.Handle);
        return link;
    }
}
