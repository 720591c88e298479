namespace Holdfast.Lab.Throttle;

/// <summary>The work: the same for all ways of throttling it.</summary>
internal sealed class Work(ThrottleQuestion question)
{
    private readonly double _turnMicroseconds = question.ItemMilliseconds * 1000 / question.Turns;

    /// <summary>An item in one piece.</summary>
    public void Run() => Burn.Work(question.ItemMilliseconds * 1000);

    /// <summary>An item in turns, each of which waits for its place anew.</summary>
    public async Task RunAsync()
    {
        for (var turn = 0; turn < question.Turns; turn++)
        {
            if (turn > 0)
                await Task.Yield();
            Burn.Work(_turnMicroseconds);
        }
    }
}
