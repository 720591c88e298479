namespace Holdfast.Broker;

/// <summary>What a check found: one line that says what is so, and where it is wrong, what to do.</summary>
public sealed record Finding(Severity Severity, string Text)
{
    public static Finding Ok(string text) => new(Severity.Ok, text);

    public static Finding Warning(string text) => new(Severity.Warning, text);

    public static Finding Error(string text) => new(Severity.Error, text);
}
