namespace Holdfast.Lab.Leases;

/// <summary>
/// The published way to order continuations on one thread: whoever wants to run raises the wanted urgency to his own, and yields until what is wanted is just that.
/// </summary>
internal sealed class HandedRound
{
    private Urgency _wanted;

    /// <summary>Returns when it is the caller's turn. That ends with the caller's next await.</summary>
    public async ValueTask TakeAsync(Urgency own)
    {
        do
        {
            if (_wanted < own)
                _wanted = own;
            await Task.Yield();
        }
        while (_wanted != own);
        _wanted = Urgency.None;
    }
}
