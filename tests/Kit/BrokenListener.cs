using System.Diagnostics;

namespace Holdfast.Tests.Kit;

/// <summary>Listens to spans, and throws at each that it is meant for, where that begins or where it ends.</summary>
public sealed class BrokenListener : IDisposable
{
    private readonly Func<Activity, bool> _isMeant;
    private readonly ActivityListener _listener;

    public BrokenListener(Func<Activity, bool> isMeant, bool atStart)
    {
        _isMeant = isMeant;
        _listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Holdfast",
            ActivityStarted = atStart ? Throw : null,
            ActivityStopped = atStart ? null : Throw,
        };
        ActivitySource.AddActivityListener(_listener);
    }

    /// <summary>How often it has thrown.</summary>
    public int Throws { get; private set; }

    public void Dispose() => _listener.Dispose();

    private void Throw(Activity span)
    {
        if (!_isMeant(span))
            return;

        Throws++;
        throw new InvalidOperationException("This listener is broken.");
    }
}
