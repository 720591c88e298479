using System.CommandLine;

namespace Holdfast.Worker.Commands;

/// <summary>The options by which a person says which dead letters are meant.</summary>
internal sealed class FilterOptions
{
    private readonly Option<string[]> _ids = new("--id") { Description = "Only the message of this id; may be given several times.", HelpName = "ID" };
    private readonly Option<string?> _reason = new("--reason") { Description = "Only dead letters of this reason.", HelpName = "REASON" };
    private readonly Option<TimeSpan?> _older = CommonOptions.Duration("--older-than", "Only what has been there for longer.");
    private readonly Option<TimeSpan?> _younger = CommonOptions.Duration("--younger-than", "Only what has not been there for as long.");
    private readonly Option<KeyValuePair<string, string>[]> _properties = CommonOptions.Properties("Only messages with this property; may be given several times.");

    public void AddTo(Command command)
    {
        foreach (var option in (Option[])[_ids, _reason, _older, _younger, _properties])
            command.Add(option);
    }

    public MessageFilter Read(ParseResult parsed, DateTimeOffset now) => new()
    {
        Ids = [.. parsed.GetValue(_ids) ?? []],
        Reason = parsed.GetValue(_reason),
        Before = now - parsed.GetValue(_older),
        After = now - parsed.GetValue(_younger),
        Properties = parsed.GetValue(_properties) ?? [],
    };
}
