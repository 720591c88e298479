namespace Holdfast.Consumer;

/// <summary>Names errors for telemetry, by their type: as many names as there are places for, then one for all others. Any thread.</summary>
internal sealed class ErrorTypes
{
    public const string Other = "_OTHER";

    private const int Most = 20;

    private readonly Lock _gate = new();
    private readonly HashSet<string> _known = new(StringComparer.Ordinal);

    public string Of(Exception error)
    {
        var name = error.GetType().FullName ?? Other;
        lock (_gate)
            return _known.Contains(name) || (_known.Count < Most && _known.Add(name)) ? name : Other;
    }
}
