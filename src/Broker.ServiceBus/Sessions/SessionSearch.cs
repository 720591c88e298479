namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Asks for another session while one is wanted, one at a time. A broker should wait before it says that none is free, and leave us those that it gives:
/// one that does neither is asked again after a pause, and not in a loop. Any thread.
/// </summary>
/// <param name="ask">Asks until it is called off, and tells when it has ended. Not to go on before the lock of whoever wants it is free.</param>
/// <param name="time">Whose clock.</param>
internal sealed class SessionSearch(Func<CancellationToken, Task> ask, TimeProvider time) : IDisposable
{
    public static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private CancellationTokenSource? _asking;
    private long? _inVainSince;

    private bool IsPausing => _inVainSince is { } at && time.GetElapsedTime(at) < Pause;

    /// <summary>One is wanted.</summary>
    public void Begin()
    {
        lock (_gate)
        {
            if (_asking is null && !IsPausing)
                _ = ask((_asking = new CancellationTokenSource()).Token);
        }
    }

    /// <summary>None is wanted any more.</summary>
    public void CallOff()
    {
        lock (_gate)
            _asking?.Cancel();
    }

    /// <summary>What was asked for or given at that timestamp has come to nothing.</summary>
    public void NoteVain(long since)
    {
        lock (_gate)
            _inVainSince = Math.Max(since, _inVainSince ?? since);
    }

    /// <summary>It has been asked, with whatever result.</summary>
    public void End()
    {
        lock (_gate)
            _asking = null;
    }

    public void Dispose() => CallOff();
}
