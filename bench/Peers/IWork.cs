namespace Holdfast.Bench;

/// <summary>What is done with each message, and what is found by it. Any thread.</summary>
internal interface IWork
{
    ValueTask HandleAsync(int number, long sentAt);

    /// <summary>Waits on the main thread until all is done, at most so long, and says what was found.</summary>
    Finding Wait(TimeSpan limit);
}
