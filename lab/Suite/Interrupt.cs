using System.Runtime.InteropServices;

namespace Holdfast.Lab;

/// <summary>Turns the wish to end the program, by Ctrl-C or by a signal, into a token, so that nothing ends in the middle of writing a file.</summary>
internal sealed class Interrupt : IDisposable
{
    private readonly CancellationTokenSource _source = new();
    private readonly PosixSignalRegistration[] _registrations;

    public Interrupt() => _registrations = [Register(PosixSignal.SIGINT), Register(PosixSignal.SIGTERM)];

    public CancellationToken Token => _source.Token;

    public void Dispose()
    {
        foreach (var registration in _registrations)
            registration.Dispose();
        _source.Dispose();
    }

    private PosixSignalRegistration Register(PosixSignal signal) => PosixSignalRegistration.Create(signal, context =>
    {
        context.Cancel = true;
        _source.Cancel();
    });
}
