using System.Runtime.InteropServices;

namespace Holdfast.Worker.Terminal;

/// <summary>
/// Heeds a terminal that is closed (SIGHUP) as a call to stop: .NET's host and its command line know of the other signals only. Where whoever started
/// the process had that ignored, as nohup does, it stays so.
/// </summary>
internal static class HangUp
{
    public static PosixSignalRegistration Heed(Action stop) => PosixSignalRegistration.Create(PosixSignal.SIGHUP, signal =>
    {
        // Else it ends the process at once.
        signal.Cancel = true;
        stop();
    });
}
