namespace Holdfast.Worker.Commands;

/// <summary>What became of dead letters, as JSON shows it. The names are a contract: docs/commands.md.</summary>
internal sealed record ClearedView(string Queue, string? Target, long Seen, long Matched, long Done, bool IsDryRun)
{
    public string Text() => (IsDryRun, Target) switch
    {
        (true, null) => $"Would remove {Matched:#,0} of {Seen:#,0} dead letters seen.",
        (true, _) => $"Would send {Matched:#,0} of {Seen:#,0} dead letters seen to '{Target}'.",
        (false, null) => $"Removed {Done:#,0} of {Seen:#,0} dead letters seen.",
        _ => $"Sent {Done:#,0} of {Seen:#,0} dead letters seen to '{Target}'.",
    };
}
