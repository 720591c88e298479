namespace Holdfast.Worker.Settings;

/// <summary>Which command handles messages, and what it is allowed.</summary>
internal sealed class ExecOptions
{
    public string? Command { get; set; }

    public string? Arguments { get; set; }

    public string? WorkingDirectory { get; set; }

    public ExecMode Mode { get; set; }

    /// <summary>The most processes at once, and so the most messages.</summary>
    public int Processes { get; set; } = 4;

    /// <summary>The longest that a message may take; null leaves that to its lease.</summary>
    public TimeSpan? Timeout { get; set; }

    /// <summary>How long a process that was told to end may take for it.</summary>
    public TimeSpan Grace { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>How long a message is kept back that the command wants later.</summary>
    public TimeSpan Delay { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>The most lines of each output that are logged for a message.</summary>
    public int LogLines { get; set; } = 100;
}
