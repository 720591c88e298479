namespace Holdfast.Amqp;

/// <summary>One end of a link, from its attach frame to the peer's detach frame. Any thread; what is internal, behind the gate.</summary>
public abstract class AmqpLink
{
    private readonly Ending _end;
    private readonly Action<AmqpException>? _onClosed;
    private AmqpException? _failure;
    private Attach? _remote;
    private bool _isAbandoned;

    private protected AmqpLink(AmqpSession session, string name, Action<AmqpException>? onClosed)
    {
        (Session, Name, _onClosed) = (session, name, onClosed);
        _end = new Ending(Gate);
    }

    public AmqpSession Session { get; }

    public string Name { get; }

    /// <summary>Why it ended; null while it lives.</summary>
    public AmqpException? Failure => Volatile.Read(ref _failure);

    /// <summary>The source as the peer has it.</summary>
    public Source? RemoteSource => _remote?.Source;

    public AmqpFields? RemoteProperties => _remote?.Properties;

    /// <summary>The largest message that the peer takes, in bytes; null where it takes any.</summary>
    public ulong? MaxMessageSize => _remote?.MaxMessageSize is > 0 and var most ? most : null;

    internal uint Handle { get; set; }

    internal uint? RemoteHandle { get; private set; }

    internal abstract Role Role { get; }

    internal LinkStage Stage { get; private set; }

    private protected Gate Gate => Session.Connection.Gate;

    /// <summary>Detaches the link for good, and waits for the peer's answer. Never throws but for the token.</summary>
    public ValueTask CloseAsync(CancellationToken cancel)
    {
        Pending<bool> end;
        using (Gate.Enter())
        {
            if (Stage == LinkStage.Attached)
                Detach(null, new AmqpException(AmqpLevel.Link, null, $"The link {Name} was closed."), tells: false);
            end = _end.Await();
        }

        return end.WaitToEndAsync(cancel);
    }

    /// <summary>The attach frame that asks for it.</summary>
    internal abstract Attach Ask();

    internal abstract void OnFlow(in Flow flow);

    internal void OnAttach(Attach attach)
    {
        (_remote, RemoteHandle) = (attach, attach.Handle);
        if (_isAbandoned)
        {
            Detach(null, new AmqpException(AmqpLevel.Link, null, $"The link {Name} was called off."), tells: false);
            return;
        }

        // A peer that has no place for it says why in the detach frame that follows.
        if (IsRefused(attach))
            return;
        Stage = LinkStage.Attached;
        OnAttached(attach);
    }

    internal void OnDetach(Detach detach)
    {
        var why = AmqpException.FromPeer(AmqpLevel.Link, detach.Error);
        if (Stage is LinkStage.Attaching or LinkStage.Attached)
            Session.Write(new Detach { Handle = Handle, Closed = detach.Closed });
        End(why, tells: true);
    }

    /// <summary>The peer need not hear of it, or has told us: its session is gone, or it has detached.</summary>
    internal void End(AmqpException why, bool tells)
    {
        Fail(why, tells);
        Stage = LinkStage.Ended;
        _end.Come();
    }

    /// <summary>Ends it from our side.</summary>
    internal void Detach(AmqpError? error, AmqpException why, bool tells)
    {
        Session.Write(new Detach { Handle = Handle, Closed = true, Error = error });
        Fail(why, tells);
        Stage = LinkStage.Detaching;
    }

    /// <summary>Nobody waits for the peer's answer any more; when it comes, the link is detached.</summary>
    internal void Abandon() => _isAbandoned = true;

    private protected abstract bool IsRefused(Attach answer);

    private protected abstract void OnAttached(Attach answer);

    /// <summary>Everything that waits for the link fails.</summary>
    private protected abstract void OnFailed(AmqpException why);

    private void Fail(AmqpException why, bool tells)
    {
        if (_failure is not null)
            return;
        Volatile.Write(ref _failure, why);
        OnFailed(why);
        if (tells && Stage == LinkStage.Attached && _onClosed is not null)
            Gate.Add(new Told(_onClosed, why));
    }
}
