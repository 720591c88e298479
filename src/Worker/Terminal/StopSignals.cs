using System.Runtime.InteropServices;

namespace Holdfast.Worker.Terminal;

/// <summary>
/// Heeds from the first moment on what asks the process to stop; .NET's host does so only once it starts. Until then the kernel would end the process,
/// but not the first one of a container: it would never hear of it, go on to take messages, and be killed in the midst of them when its grace is over.
/// </summary>
internal sealed class StopSignals : IDisposable
{
    private static readonly PosixSignal[] s_stops = [PosixSignal.SIGTERM, PosixSignal.SIGINT, PosixSignal.SIGQUIT];

    // Not disposed of: a signal may still be on its way when nobody heeds them any more.
    private readonly CancellationTokenSource _asked = new();
    private readonly PosixSignalRegistration[] _heeded;

    public StopSignals() => _heeded = [HangUp.Heed(_asked.Cancel), .. s_stops.Select(stop => PosixSignalRegistration.Create(stop, Heed))];

    /// <summary>Cancelled once somebody has asked.</summary>
    public CancellationToken Asked => _asked.Token;

    public void Dispose() => Array.ForEach(_heeded, signal => signal.Dispose());

    private void Heed(PosixSignalContext signal)
    {
        // Else it ends the process at once.
        signal.Cancel = true;
        _asked.Cancel();
    }
}
