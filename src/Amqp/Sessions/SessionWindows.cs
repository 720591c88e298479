namespace Holdfast.Amqp;

/// <summary>How many transfer frames may travel each way before the receiving side has to say so again. Behind the gate.</summary>
internal sealed class SessionWindows
{
    /// <summary>How many we may send as far as we are concerned: nothing is kept for a second try.</summary>
    public const uint Outgoing = int.MaxValue;

    private readonly uint _size;
    private uint _remoteWindow;

    public SessionWindows(uint size) => IncomingWindow = _size = size;

    public uint NextOutgoingId { get; private set; }

    public uint NextIncomingId { get; private set; }

    /// <summary>How many the peer may still send.</summary>
    public uint IncomingWindow { get; private set; }

    public bool CanSend => _remoteWindow > 0;

    /// <summary>Whether so much of the window is used that the peer should be given the whole of it again.</summary>
    public bool ShouldRenew => IncomingWindow <= _size / 2;

    public void OnBegin(uint peersNextOutgoingId, uint peersWindow) => (NextIncomingId, _remoteWindow) = (peersNextOutgoingId, peersWindow);

    /// <summary>False where the peer claims to have had more than was sent.</summary>
    /// <param name="peersNextIncomingId">Null where the peer had not seen our begin frame yet.</param>
    /// <param name="peersWindow">Counted from there.</param>
    public bool TryTakeFlow(uint? peersNextIncomingId, uint peersWindow)
    {
        var start = peersNextIncomingId ?? 0;
        if (Serial.Ahead(start, NextOutgoingId) > 0)
            return false;
        _remoteWindow = Serial.Left(peersWindow, start, NextOutgoingId);
        return true;
    }

    public void Sent()
    {
        NextOutgoingId = Serial.Plus(NextOutgoingId, 1);
        _remoteWindow--;
    }

    /// <summary>False where the peer sent more than it was allowed to.</summary>
    public bool TryReceive()
    {
        if (IncomingWindow == 0)
            return false;
        IncomingWindow--;
        NextIncomingId = Serial.Plus(NextIncomingId, 1);
        return true;
    }

    /// <summary>The peer is told where we stand.</summary>
    public void Renew() => IncomingWindow = _size;
}
