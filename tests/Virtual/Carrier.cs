using Holdfast.Scheduling;

namespace Holdfast.Virtual;

/// <summary>A real thread that carries a machine's loop, or the frames of one virtual thread that waits inside a step.</summary>
internal sealed class Carrier : IDisposable
{
    [ThreadStatic]
    private static Carrier? t_current;

    private readonly Bell _wake = new();
    private readonly int? _core;
    private VirtualMachine? _machine;

    public Carrier(int? core)
    {
        _core = core;
        new Thread(Main) { Name = "virtual", IsBackground = true }.UnsafeStart();
    }

    public static Carrier? Current => t_current;

    /// <summary>Lets it run the machine's loop.</summary>
    public void Begin(VirtualMachine machine)
    {
        _machine = machine;
        _wake.Ring();
    }

    /// <summary>Lets it end, once it has nothing to do.</summary>
    public void Dispose()
    {
        _machine = null;
        _wake.Ring();
    }

    /// <summary>Lets the frames that wait on it go on.</summary>
    public void Resume() => _wake.Ring();

    /// <summary>Waits, in the midst of a step, until it is resumed.</summary>
    public void Await() => _wake.Wait();

    private void Main()
    {
        t_current = this;
        if (_core is { } core)
            Core.Stay(core);
        _wake.Wait();
        while (_machine is { } machine)
        {
            machine.Loop(this);
            _wake.Wait();
        }
    }
}
