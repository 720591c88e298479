namespace Holdfast.Amqp;

/// <summary>Gives a receiver's peer credit, renews it, and takes it back. Behind the gate.</summary>
internal sealed class ReceiverFlow(AmqpReceiver receiver, bool renews)
{
    private readonly ReceiveCredit _credit = new();
    private readonly List<Pending<bool>> _draining = [];
    private uint _given;

    // Credit that is given once the drain has ended.
    private uint? _next;

    public uint Credit => _credit.Credit;

    public void Begin(uint peersCount, uint credit)
    {
        _credit.Begin(peersCount);
        if (credit > 0)
            Give(credit);
    }

    /// <summary>False where the peer sent more than it was ever allowed to.</summary>
    public bool TryReceive() => _credit.TryReceive();

    /// <summary>A message has come, whole.</summary>
    public void OnReceived()
    {
        if (_credit.Drains)
            TryEndDrain(_credit.DeliveryCount, isCertain: false);
        else if (renews && _given > 0 && _credit.Credit <= _given / 2)
            Give(_given);
    }

    /// <summary>One that had begun was taken back: the peer counts it, and who waits still waits for another.</summary>
    public void OnAborted()
    {
        if (_credit.Drains)
        {
            TryEndDrain(_credit.DeliveryCount, isCertain: false);
            return;
        }

        _credit.Extend();
        Tell();
    }

    public void OnFlow(in Flow flow)
    {
        if (flow.DeliveryCount is { } count)
            TryEndDrain(count, isCertain: flow.Drain || flow.LinkCredit == 0);
        if (flow.Echo)
            Tell();
    }

    public void Set(uint credit)
    {
        if (_credit.Drains)
            _next = credit;
        else if (credit != _credit.Credit)
            Give(credit);
    }

    public void Drain(Pending<bool> drained)
    {
        _draining.Add(drained);
        if (_credit.Drains)
        {
            // What was to be given after the drain is taken back before it was given.
            _next = null;
            return;
        }

        _credit.Drain();
        if (_credit.IsOpen)
            Tell();
        else
            TryEndDrain(_credit.DeliveryCount, isCertain: false);
    }

    public void Fail(AmqpException why)
    {
        foreach (var drained in _draining)
            drained.Fail(why);
        _draining.Clear();
    }

    private void TryEndDrain(uint peersCount, bool isCertain)
    {
        if (!_credit.TryEndDrain(peersCount, isCertain))
            return;
        foreach (var drained in _draining)
            drained.Set(true);
        _draining.Clear();
        _given = 0;
        if (_next is > 0 and var next)
            Give(next);
        _next = null;
    }

    private void Give(uint credit)
    {
        _given = credit;
        _credit.Give(credit);
        Tell();
    }

    private void Tell() => receiver.Session.WriteFlow(new LinkFlow(receiver.Handle, _credit.DeliveryCount, _credit.Credit, _credit.Drains));
}
