namespace Holdfast.Lab.Syncio;

/// <summary>What one way of handling showed under one load.</summary>
internal sealed record SyncioRow(SyncioQuestion Question, SyncioFinding Found)
{
    /// <summary>Handlers that ended in a second: up to the end of the last one, for they end in waves.</summary>
    public double Throughput => Found.LastEnd > 0 ? Found.Ended / Found.LastEnd : 0;

    /// <summary>How long a client waits for its handler's end in the long run: by Little's law, so that those that still waited when the watch ended count too.</summary>
    public double Response => Question.AtOnce / Throughput;
}
