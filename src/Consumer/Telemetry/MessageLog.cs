using Holdfast.Broker;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>
/// Logs failed deliveries of one queue, and what its handlers put aside: each, while they are few; in a flood the first ones, and how many more there were.
/// A log that can't keep up would hold the handlers' threads, and nobody reads ten thousand lines that say the same. Any thread but the lease thread.
/// </summary>
internal sealed class FailureLog(string queue, TimeProvider time, ILogger log) : IDisposable
{
    private const int MostInPeriod = 20;
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private ITimer? _end;
    private int _inPeriod;
    private bool _isClosed;
    private string _last = "";

    public void Failed(HeldMessage message, Exception error, string settlement)
    {
        if (IsToBeLogged(error.GetType().Name))
            log.Failed(message.Id, queue, message.Attempt, message.DeliveryCount, ErrorText.WithType(error), settlement);
    }

    /// <summary>A message was put aside although its handler did not throw.</summary>
    public void PutAside(HeldMessage message, Settlement settlement)
    {
        if (IsToBeLogged(settlement.Reason!))
            log.PutAside(message.Id, queue, message.DeliveryCount, settlement.Reason!, settlement.Description!);
    }

    public void Dispose()
    {
        _isClosed = true;
        EndPeriod();
    }

    private bool IsToBeLogged(string why)
    {
        if (!log.IsEnabled(LogLevel.Warning))
            return false;

        lock (_gate)
        {
            if (_isClosed)
                return true;

            _end ??= time.CreateTimer(static self => ((FailureLog)self!).EndPeriod(), this, s_period, Timeout.InfiniteTimeSpan);
            if (++_inPeriod <= MostInPeriod)
                return true;

            _last = why;
            return false;
        }
    }

    private void EndPeriod()
    {
        int unlogged;
        lock (_gate)
        {
            unlogged = _inPeriod - MostInPeriod;
            _inPeriod = 0;
            _end?.Dispose();
            _end = null;
        }

        if (unlogged > 0)
            log.FailedToo(unlogged, queue, s_period.TotalSeconds, _last);
    }
}
