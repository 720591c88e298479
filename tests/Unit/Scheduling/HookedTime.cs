namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>The system's clock, that does something at a certain look of the thread that asked for it.</summary>
internal sealed class HookedTime : TimeProvider
{
    private Thread? _thread;
    private Action? _hook;
    private int _looks;

    public void OnLook(int number, Action hook) => (_hook, _looks, _thread) = (hook, number, Thread.CurrentThread);

    public override long GetTimestamp()
    {
        if (Thread.CurrentThread == _thread && --_looks == 0)
            _hook!();
        return base.GetTimestamp();
    }
}
