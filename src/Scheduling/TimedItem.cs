namespace Holdfast.Scheduling;

/// <summary>An item whose wait is measured, one sample of many.</summary>
internal sealed class TimedItem(IThreadPoolWorkItem item, Lane lane, Clock clock, ILaneObserver observer) : IThreadPoolWorkItem
{
    private readonly TimeSpan _posted = clock.Now;

    public IThreadPoolWorkItem Item => item;

    public void Execute()
    {
        observer.Waited(lane, clock.Now - _posted);
        item.Execute();
    }
}
