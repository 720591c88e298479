namespace Holdfast.Worker.Settings;

/// <summary>How the command is given its messages.</summary>
internal enum ExecMode
{
    /// <summary>A process for each message, which ends with it.</summary>
    Once,

    /// <summary>Processes that live on, and are given one message after another as lines of JSON.</summary>
    Lines,
}
