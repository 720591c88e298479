namespace Holdfast.Amqp;

/// <summary>The sessions of a connection, by our channels and by the peer's. Behind the gate.</summary>
internal sealed class Channels(AmqpConnectionOptions options)
{
    private readonly Slots<AmqpSession> _ours = new();
    private readonly Dictionary<ushort, AmqpSession> _theirs = [];

    /// <summary>Any session that both sides have begun.</summary>
    public AmqpSession? FirstActive => _ours.Taken.FirstOrDefault(session => session.Stage == SessionStage.Active);

    public void Open(AmqpSession session, ushort largest)
    {
        if (!_ours.TryTake(session, Math.Min(largest, options.ChannelMax), out var channel))
            session.End(new AmqpException(AmqpLevel.Session, ErrorConditions.ResourceLimitExceeded, $"The connection has no room for more than {_ours.Count} sessions."), tells: false);
        else
            session.Begin((ushort)channel);
    }

    /// <exception cref="AmqpException">The peer does not keep to the protocol.</exception>
    public void OnFrame(ushort channel, ulong performative, ref AmqpReader reader)
    {
        if (performative == Descriptor.Begin)
            OnBegin(channel, Amqp.Begin.Decode(ref reader));
        else if (!_theirs.TryGetValue(channel, out var session))
            throw new AmqpException(AmqpLevel.Connection, ErrorConditions.NotAllowed, $"The peer has begun no session on channel {channel}.");
        else if (performative != Descriptor.End)
            session.OnFrame(performative, ref reader);
        else
            OnEnd(channel, session, End.Decode(ref reader));
    }

    public void EndAll(AmqpException why, bool tells)
    {
        foreach (var session in _ours.Taken)
            session.End(why, tells);
    }

    private void OnBegin(ushort channel, Begin begin)
    {
        if (channel > options.ChannelMax)
            throw new AmqpException(AmqpLevel.Connection, ErrorConditions.FramingError, $"The peer began a session on channel {channel}, and {options.ChannelMax} is the last.");
        if (begin.RemoteChannel is not { } ours || _ours[ours] is not { Stage: SessionStage.Beginning } session || !_theirs.TryAdd(channel, session))
            throw new AmqpException(AmqpLevel.Connection, ErrorConditions.NotAllowed, $"The peer began a session on channel {channel} that nobody asked for.");
        session.OnBegin(begin);
    }

    private void OnEnd(ushort channel, AmqpSession session, End end)
    {
        _theirs.Remove(channel);
        session.OnEnd(end);
        _ours.Free(session.Channel);
    }
}
