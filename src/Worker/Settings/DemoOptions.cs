namespace Holdfast.Worker.Settings;

/// <summary>What the demo handler does with a message, and how many messages the demo producer sends.</summary>
internal sealed class DemoOptions
{
    public int Turns { get; set; } = 5;

    /// <summary>How long a turn keeps its thread.</summary>
    public int CpuMilliseconds { get; set; } = 20;

    /// <summary>How long a turn then waits without a thread.</summary>
    public int IoMilliseconds { get; set; } = 200;

    /// <summary>Whether a turn blocks its thread instead of burning CPU.</summary>
    public bool Blocking { get; set; }

    /// <summary>Messages a second that are sent; 0 sends none.</summary>
    public double Produce { get; set; } = 5;
}
