using System.Runtime.InteropServices;

namespace Holdfast.Worker.Terminal;

/// <summary>
/// Heeds from the first moment on what asks the process to stop; .NET's host does so only once it starts. Until then the kernel would end the process,
/// but not the first one of a container: it would never hear of it, go on to take messages, and be killed in the midst of them when its grace is over.
/// A terminal that is closed (SIGHUP) is heeded too, which the host never does; where whoever started the process had that ignored, as nohup does, it stays so.
/// </summary>
internal sealed class StopSignals : IDisposable
{
    private static readonly PosixSignal[] s_stops = [PosixSignal.SIGTERM, PosixSignal.SIGINT, PosixSignal.SIGQUIT, PosixSignal.SIGHUP];

    // Not disposed of: a signal may still be on its way when nobody heeds them any more.
    private readonly CancellationTokenSource _asked = new();
    private readonly PosixSignalRegistration[] _heeded;

    public StopSignals() => _heeded = Array.ConvertAll(s_stops, stop => Heed(stop, _asked.Cancel));

    /// <summary>Cancelled once somebody has asked.</summary>
    public CancellationToken Asked => _asked.Token;

    /// <summary>Takes one signal for a call to stop.</summary>
    public static PosixSignalRegistration Heed(PosixSignal signal, Action stop) => PosixSignalRegistration.Create(signal, heard =>
    {
        // Else it ends the process at once.
        heard.Cancel = true;
        stop();
    });

    public void Dispose() => Array.ForEach(_heeded, signal => signal.Dispose());
}
