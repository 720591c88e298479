namespace Holdfast.Scheduling;

/// <summary>
/// Work that comes due at times of its own: renewals above all. It runs on the lease thread, where there is one,
/// so it must not wait, block or call user code.
/// </summary>
public interface ITimedWork
{
    /// <summary>Does what is due, and returns when it next wants to be called; <see cref="TimeSpan.MaxValue"/> for not before it is woken.</summary>
    TimeSpan RunDue(TimeSpan now);
}
