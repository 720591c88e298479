using Holdfast.Broker;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>What is logged of one queue's messages: of each kind, only so much in a <see cref="Flood"/>. Any thread but the lease thread.</summary>
internal sealed class MessageLog : IDisposable
{
    public const string NoAnswer = "No answer so far.";

    private const int MostFailures = 20;

    // A lease that is lost is to be found in the log by its message. Only where thousands go at once, as with a connection, a log may not keep up.
    private const int MostLosses = 500;

    private readonly string _queue;
    private readonly ILogger _log;
    private readonly Flood _failures;
    private readonly Flood _misses;
    private readonly Flood _unsettled;
    private readonly Flood _handledBefore;
    private readonly Flood _notDelayed;
    private readonly Flood _notRenewed;
    private readonly Flood _notAnswered;

    public MessageLog(string queue, TimeProvider time, ILogger log)
    {
        (_queue, _log) = (queue, log);
        _failures = new(time, MostFailures, (count, seconds, error) => log.FailedToo(count, queue, seconds, error));
        _misses = new(time, MostLosses, (count, seconds, reason) => log.MissedToo(count, queue, seconds, reason));
        _unsettled = new(time, MostLosses, (count, seconds, problem) => log.SettlingFailedToo(count, queue, seconds, problem));
        _handledBefore = new(time, MostLosses, (count, seconds, _) => log.HandledBeforeToo(count, queue, seconds));
        _notDelayed = new(time, 1, (count, seconds, why) => log.NotDelayedToo(count, queue, seconds, why));
        (_notRenewed, _notAnswered) = (OfRenewals(), OfRenewals());

        Flood OfRenewals() => new(time, 1, (count, seconds, problem) => log.RenewalFailedToo(count, queue, seconds, problem));
    }

    /// <summary>A delivery's handler failed.</summary>
    public void Failed(HeldMessage message, Exception error, string settlement)
    {
        if (!_log.IsEnabled(LogLevel.Warning) || !_failures.Admits(error.GetType().Name))
            return;

        _log.Failed(message.Id, _queue, message.Attempt, message.DeliveryCount, ErrorText.WithType(error), settlement);
        if (_log.IsEnabled(LogLevel.Debug) && StackText.Of(error) is { } stack)
            _log.FailedHere(message.Id, _queue, message.Attempt, message.DeliveryCount, stack);
    }

    /// <summary>A message was put aside although its handler did not throw.</summary>
    public void PutAside(HeldMessage message, Settlement settlement)
    {
        if (_log.IsEnabled(LogLevel.Warning) && _failures.Admits(settlement.Reason!))
            _log.PutAside(message.Id, _queue, message.DeliveryCount, settlement.Reason!, settlement.Description!);
    }

    /// <summary>A lease is lost.</summary>
    /// <param name="miss">What is known of it.</param>
    /// <param name="why">What ended that which it lived with, for a person to read; null where nothing did, or where that is not known.</param>
    public void Missed(LeaseMiss miss, string? why)
    {
        if (_log.IsEnabled(LogLevel.Warning) && _misses.Admits(miss.Reason))
            _log.Missed(miss.Reason, miss.MessageId, _queue, miss.Held.TotalSeconds, why is null ? "" : $" {why}", miss.TraceId ?? "none");
    }

    public void SettlingFailed(string id, string problem)
    {
        if (_log.IsEnabled(LogLevel.Error) && _unsettled.Admits(problem))
            _log.SettlingFailed(id, _queue, problem);
    }

    public void HandledBefore(string id)
    {
        if (_log.IsEnabled(LogLevel.Information) && _handledBefore.Admits(id))
            _log.HandledBefore(id, _queue);
    }

    /// <summary>A message that was to wait was given back at once: what keeps one from waiting keeps all, so one line does.</summary>
    public void NotDelayed(string id, string why)
    {
        if (_log.IsEnabled(LogLevel.Warning) && _notDelayed.Admits(why))
            _log.NotDelayed(id, _queue, why);
    }

    /// <summary>Renewals are not answered in time. Where each is answered late, each fails before it succeeds, and the next one is news again.</summary>
    public void RenewalUnanswered(int count) => RenewalFailed(_notAnswered, count, NoAnswer);

    /// <summary>Renewals failed: counted by themselves, for why none is answered is mostly known seconds after that none is.</summary>
    public void RenewalFailed(int count, string problem) => RenewalFailed(_notRenewed, count, problem);

    public void Dispose()
    {
        _failures.Dispose();
        _misses.Dispose();
        _unsettled.Dispose();
        _handledBefore.Dispose();
        _notDelayed.Dispose();
        _notRenewed.Dispose();
        _notAnswered.Dispose();
    }

    private void RenewalFailed(Flood flood, int count, string problem)
    {
        if (_log.IsEnabled(LogLevel.Warning) && flood.Admits(problem))
            _log.RenewalFailed(count, _queue, problem);
    }
}
