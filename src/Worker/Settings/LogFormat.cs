namespace Holdfast.Worker.Settings;

/// <summary>What the log looks like.</summary>
internal enum LogFormat
{
    /// <summary>Lines for people.</summary>
    Lines,

    /// <summary>A line of JSON for each entry, for a log's collector.</summary>
    Json,
}
