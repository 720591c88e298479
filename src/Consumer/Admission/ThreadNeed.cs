namespace Holdfast.Consumer;

/// <summary>How many of a queue's messages want one of the threads that all queues share.</summary>
/// <param name="InHand">All that it has in hand.</param>
/// <param name="Waiting">Those that wait for a thread.</param>
/// <param name="Running">Those that have one.</param>
internal readonly record struct ThreadNeed(int InHand, int Waiting, int Running)
{
    /// <summary>Whether it hardly takes part in what the threads are busy with: most of what it has in hand waits for something else, and more would do so too.</summary>
    public bool IsSlight => (Waiting + Running) * 2 <= InHand;
}
