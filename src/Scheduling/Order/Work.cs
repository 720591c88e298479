namespace Holdfast.Scheduling;

/// <summary>What waits in a lane: a strand's task, or the rest of a caller that awaits a turn; and since when, where its wait is measured.</summary>
internal readonly record struct Work(Strand? Strand, Task? Task, Action? Rest, Postmark Posted)
{
    public void Run()
    {
        if (Task is { } task)
            Strand!.Execute(task);
        else
            Rest!();
    }
}
