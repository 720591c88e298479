using System.Text.Json.Serialization;

namespace Holdfast.Worker.Commands;

/// <summary>What became of dead letters, as JSON shows it. The names are a contract: docs/commands.md.</summary>
internal sealed record ClearedView(
    string Queue,
    string? Target,
    long Seen,
    long Matched,
    long Done,
    bool IsDryRun,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)] long Deferred,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)] long Scheduled)
{
    public string Text() => Result()
        + (Deferred == 0 ? "" : $" Deferred, and so left there: {Deferred:#,0}; a message like that is given to nobody but who has its number.")
        + (Scheduled == 0 ? "" : $" Scheduled, and so left there: {Scheduled:#,0}; a message like that is given to nobody before its time.");

    private string Result() => (IsDryRun, Target) switch
    {
        (true, null) => $"Would remove {Matched:#,0} of {Seen:#,0} dead letters seen.",
        (true, _) => $"Would send {Matched:#,0} of {Seen:#,0} dead letters seen to '{Target}'.",
        (false, null) => $"Removed {Done:#,0} of {Seen:#,0} dead letters seen.",
        _ => $"Sent {Done:#,0} of {Seen:#,0} dead letters seen to '{Target}'.",
    };
}
