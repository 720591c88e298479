namespace Holdfast.Lab;

/// <summary>What the program tells whoever started it.</summary>
internal static class ExitCode
{
    public const int Ran = 0;
    public const int Broke = 1;
    public const int Misused = 2;

    /// <summary>As shells say it of what an interrupt has ended.</summary>
    public const int Interrupted = 130;
}
