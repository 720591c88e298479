namespace Holdfast.Broker;

/// <summary>How bad a finding is.</summary>
public enum Severity : byte
{
    Ok,

    /// <summary>The worker runs, and may run into trouble.</summary>
    Warning,

    /// <summary>The worker does not run, or loses what it should not.</summary>
    Error,
}
