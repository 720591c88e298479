namespace Holdfast.Worker.Hosting;

/// <summary>What the process tells whoever started it.</summary>
internal static class ExitCode
{
    public const int Stopped = 0;

    /// <summary>Something broke that a new start may mend.</summary>
    public const int Failed = 1;

    /// <summary>The command line can't be understood.</summary>
    public const int Misused = 2;

    /// <summary>What it was told can't be (sysexits' EX_CONFIG): a new start with the same settings would end the same.</summary>
    public const int Misconfigured = 78;
}
