namespace Holdfast.Lab.Leases;

/// <summary>What is done with each message: turns of CPU, and after each some I/O. The same code for every row.</summary>
internal static class Handling
{
    /// <summary>Does all of it, or stops where it is told to. Awaits leave to go on before each turn.</summary>
    public static async ValueTask RunAsync(Story story, IMachine machine, Func<ValueTask> leave, Func<bool> isOver)
    {
        for (var done = 0; done < story.Turns; done++)
        {
            await leave();
            if (isOver())
                return;
            machine.Occupy(story.Cpu);
            await machine.PauseAsync(story.Io);
        }
    }
}
