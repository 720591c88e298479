using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>Timed work that does what a test says.</summary>
internal sealed class TimedWork(Func<TimeSpan, TimeSpan> run) : ITimedWork
{
    public TimeSpan RunDue(TimeSpan now) => run(now);
}
