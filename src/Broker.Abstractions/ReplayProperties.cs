namespace Holdfast.Broker;

/// <summary>The properties in which a message tells that it was a dead letter before, and was sent again.</summary>
public static class ReplayProperties
{
    /// <summary>How often.</summary>
    public const string Replays = "holdfast-replays";

    /// <summary>When it was last, in milliseconds since 1970.</summary>
    public const string ReplayedAt = "holdfast-replayed-at";
}
