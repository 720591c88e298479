using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>One attempt of a handler at a message, as it is told of.</summary>
internal sealed class Run(EventLog log, VirtualProcess process, int life, int number, HeldMessage message)
{
    private readonly int _delivery = log.NumberOf(number, message.DeliveryCount);

    /// <summary>A message that its handler publishes: of what, and by which attempt at which delivery.</summary>
    public Message Notice() => new() { Id = $"{message.Attempt}", CorrelationId = $"{_delivery}", Subject = $"{number}" };

    /// <summary>Notes what happens, unless it is only the unwinding of a process that was killed.</summary>
    public void Note(EventKind kind, long what = -1)
    {
        if (!process.IsDead)
            log.Add(kind, life, number, _delivery, what, message.LeaseRemaining.Ticks);
    }
}

/// <summary>A wait on a process's clock, told of when it is over.</summary>
internal sealed class Nap : IDisposable
{
    private readonly TaskCompletionSource _end = new();
    private readonly Run _run;
    private readonly ITimer _timer;
    private readonly CancellationTokenRegistration _registration;

    public Nap(TimeProvider time, TimeSpan length, Run run, CancellationToken cancel)
    {
        _run = run;
        _timer = time.CreateTimer(static nap => ((Nap)nap!).Finish(static end => end.SetResult()), this, length, Timeout.InfiniteTimeSpan);
        _registration = cancel.UnsafeRegister(static (nap, cancel) => ((Nap)nap!).Finish(end => end.SetCanceled(cancel)), this);
    }

    public Task End => _end.Task;

    public void Dispose()
    {
        _timer.Dispose();
        _registration.Dispose();
    }

    private void Finish(Action<TaskCompletionSource> end)
    {
        if (_end.Task.IsCompleted)
            return;
        _run.Note(EventKind.Ready);
        end(_end);
    }
}
