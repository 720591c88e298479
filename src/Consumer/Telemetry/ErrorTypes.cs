namespace Holdfast.Consumer;

/// <summary>Names errors for telemetry, by their type, and refusals by their reason: as many names as there are places for, then one for all others. Any thread.</summary>
internal sealed class ErrorTypes
{
    public const string Other = "_OTHER";

    private const int Most = 20;

    private readonly Lock _gate = new();
    private readonly HashSet<string> _known = new(StringComparer.Ordinal);

    public string Of(Exception error) => Known(error.GetType().FullName ?? Other);

    /// <summary>The name of a reason that a handler gave.</summary>
    public string Of(string? reason) => Known(string.IsNullOrWhiteSpace(reason) ? Other : Spans.Bounded(reason));

    private string Known(string name)
    {
        lock (_gate)
            return _known.Contains(name) || (_known.Count < Most && _known.Add(name)) ? name : Other;
    }
}
