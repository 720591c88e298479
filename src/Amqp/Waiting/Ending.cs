namespace Holdfast.Amqp;

/// <summary>The end of a connection, session or link, for those who wait for it. Behind the gate.</summary>
internal sealed class Ending(Gate gate)
{
    private readonly List<Pending<bool>> _waiting = [];
    private bool _hasCome;

    /// <summary>Set when the end comes; at once where it has come before.</summary>
    public Pending<bool> Await()
    {
        var waiting = new Pending<bool>(gate);
        if (_hasCome)
            waiting.Set(true);
        else
            _waiting.Add(waiting);
        return waiting;
    }

    public void Come()
    {
        _hasCome = true;
        foreach (var waiting in _waiting)
            waiting.Set(true);
        _waiting.Clear();
    }
}
