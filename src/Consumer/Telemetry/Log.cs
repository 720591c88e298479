using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>Every line the engine logs, once.</summary>
internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Warning, "Lease missed ({Reason}): message {Id} of {Queue}, held for {Seconds:0.0} s.{Why} If its handler runs, it was told; the broker delivers it again if it still has it. Trace: {TraceId}.")]
    public static partial void Missed(this ILogger log, string reason, string id, string queue, double seconds, string why, string traceId);

    [LoggerMessage(2, LogLevel.Warning, "A turn of {Of} {Name} has held thread {Thread} for {Seconds:0.0} s. Leases are kept, but what ranks behind it waits: {Advice}.")]
    public static partial void LongTurn(this ILogger log, string of, string name, string thread, double seconds, string advice);

    [LoggerMessage(3, LogLevel.Debug, "A turn of {Of} {Name} blocks thread {Thread}; a spare one stands in.")]
    public static partial void BlockedTurn(this ILogger log, string of, string name, string thread);

    [LoggerMessage(4, LogLevel.Warning, "A turn of {Of} {Name} blocks thread {Thread}, and no spare one may stand in ({Bound}). Leases are kept, but handlers wait.")]
    public static partial void BlockedBeyondSpare(this ILogger log, string of, string name, string thread, string bound);

    [LoggerMessage(28, LogLevel.Warning, "{Blocked} threads are blocked by handlers, and hardly one is left ({Bound}): nothing is begun or taken until some come back. Leases are kept, and what ends is settled. This is told once a minute.")]
    public static partial void ThreadsScarce(this ILogger log, int blocked, string bound);

    [LoggerMessage(34, LogLevel.Warning, "This process did not run for {Seconds:0.0} s: {Cause}. Leases may have ended meanwhile.")]
    public static partial void StoodStill(this ILogger log, double seconds, string cause);

    [LoggerMessage(29, LogLevel.Warning, "{Count} more turns that held their threads for long are not listed here: too many within {Seconds:0} s, the last of {Turn}. Metrics count them all.")]
    public static partial void LongTurnsToo(this ILogger log, int count, double seconds, string turn);

    [LoggerMessage(30, LogLevel.Warning, "{Count} more turns block threads that no spare one may stand in for; they are not listed here: too many within {Seconds:0} s, the last of {Turn}.")]
    public static partial void BlockedBeyondSpareToo(this ILogger log, int count, double seconds, string turn);

    [LoggerMessage(5, LogLevel.Warning, "Message {Id} of {Queue}: attempt {Attempt} of delivery {Delivery} failed with {Error}; {Settlement}.")]
    public static partial void Failed(this ILogger log, string id, string queue, int attempt, int delivery, string error, string settlement);

    [LoggerMessage(36, LogLevel.Debug, "Message {Id} of {Queue}: attempt {Attempt} of delivery {Delivery} failed here:\n{Stack}")]
    public static partial void FailedHere(this ILogger log, string id, string queue, int attempt, int delivery, string stack);

    [LoggerMessage(6, LogLevel.Warning, "Broker trouble on {Queue}: {Problem} Trying again in {Seconds:0.0} s.")]
    public static partial void BrokerTrouble(this ILogger log, string queue, string problem, double seconds);

    [LoggerMessage(7, LogLevel.Information, "Broker reached: consuming {Queue}.")]
    public static partial void Consuming(this ILogger log, string queue);

    [LoggerMessage(39, LogLevel.Warning, "Consuming {Queue}: {Obstacle}")]
    public static partial void Obstacle(this ILogger log, string queue, string obstacle);

    [LoggerMessage(40, LogLevel.Information, "Consuming {Queue}: nothing is in the way any more.")]
    public static partial void NoObstacle(this ILogger log, string queue);

    [LoggerMessage(41, LogLevel.Warning, "Settling message {Id} of {Queue} is put off: {Problem} It is held meanwhile, and tried again; so are others of this queue, without a line for each.")]
    public static partial void SettlingPutOff(this ILogger log, string id, string queue, string problem);

    [LoggerMessage(43, LogLevel.Information, "No settlement of {Queue} is put off any more.")]
    public static partial void SettlingGoesOn(this ILogger log, string queue);

    [LoggerMessage(8, LogLevel.Error, "Settling message {Id} of {Queue} failed: {Problem}")]
    public static partial void SettlingFailed(this ILogger log, string id, string queue, string problem);

    [LoggerMessage(9, LogLevel.Information, "Stopping: no new messages; {Running} running handlers have {Seconds:0} s.")]
    public static partial void Draining(this ILogger log, int running, double seconds);

    [LoggerMessage(10, LogLevel.Warning, "{Count} handlers still ran after {Seconds:0} s (DrainTimeout): they are called off, and their messages given back.")]
    public static partial void DrainTimedOut(this ILogger log, int count, double seconds);

    [LoggerMessage(31, LogLevel.Warning, "Closing {Queue} failed: {Problem} What it still held comes again when the broker finds out.")]
    public static partial void ClosingFailed(this ILogger log, string queue, string problem);

    [LoggerMessage(44, LogLevel.Warning, "Closed {Queue}: {Unheard}")]
    public static partial void ClosedUnheard(this ILogger log, string queue, string unheard);

    [LoggerMessage(32, LogLevel.Warning, "{Count} turns have not ended, and their threads are left behind: {Names}.")]
    public static partial void TurnsLeft(this ILogger log, int count, string names);

    [LoggerMessage(11, LogLevel.Critical, "The lease loop crashed, so leases can't be kept any more; the process ends.")]
    public static partial void LeaseLoopCrashed(this ILogger log, Exception error);

    [LoggerMessage(12, LogLevel.Critical, "Can't consume {Queue}: {Problem}")]
    public static partial void Impossible(this ILogger log, string queue, string problem);

    [LoggerMessage(13, LogLevel.Warning, "Renewing {Count} leases of {Queue} failed: {Problem} They are asked for again while they are trusted.")]
    public static partial void RenewalFailed(this ILogger log, int count, string queue, string problem);

    [LoggerMessage(42, LogLevel.Warning, "Renewing leases of {Queue} failed {Count} more times within {Seconds:0} s, and went well in between. The last time: {Problem}")]
    public static partial void RenewalFailedToo(this ILogger log, int count, string queue, double seconds, string problem);

    [LoggerMessage(14, LogLevel.Information, "Message {Id} of {Queue} was handled before, but its settlement came too late; settled without running it again.")]
    public static partial void HandledBefore(this ILogger log, string id, string queue);

    [LoggerMessage(15, LogLevel.Warning, "{Count} more failed messages of {Queue} are not listed here: too many failed within {Seconds:0} s, the last with {Error}. Metrics count them all, and each message carries its history.")]
    public static partial void FailedToo(this ILogger log, int count, string queue, double seconds, string error);

    [LoggerMessage(25, LogLevel.Warning, "{Count} more missed leases of {Queue} are not listed here: too many were missed within {Seconds:0} s, the last for {Reason}. Metrics count them all.")]
    public static partial void MissedToo(this ILogger log, int count, string queue, double seconds, string reason);

    [LoggerMessage(26, LogLevel.Error, "Settling {Count} more messages of {Queue} failed within {Seconds:0} s; they are not listed here. The last: {Problem}")]
    public static partial void SettlingFailedToo(this ILogger log, int count, string queue, double seconds, string problem);

    [LoggerMessage(27, LogLevel.Information, "{Count} more messages of {Queue}, all within {Seconds:0} s, were handled before and settled without running again; they are not listed here.")]
    public static partial void HandledBeforeToo(this ILogger log, int count, string queue, double seconds);

    [LoggerMessage(16, LogLevel.Warning, "Message {Id} of {Queue}: delivery {Delivery} is put aside ({Reason}): {Description}")]
    public static partial void PutAside(this ILogger log, string id, string queue, int delivery, string reason, string description);

    [LoggerMessage(17, LogLevel.Warning, "Receiving from {Queue} is paused for {Seconds:0.0} s: {Why} (Breaker__FailureRatio). What is in hand is handled on.")]
    public static partial void ReceivingPaused(this ILogger log, string queue, double seconds, string why);

    [LoggerMessage(18, LogLevel.Information, "Receiving from {Queue} goes on: the message that was let through succeeded.")]
    public static partial void ReceivingResumed(this ILogger log, string queue);

    [LoggerMessage(19, LogLevel.Error, "The idempotency store fails for {Queue}: {Problem} Messages are handled without it: one that is completed, but not settled before a crash, runs again. Told once, until it works again.")]
    public static partial void StoreFailed(this ILogger log, string queue, string problem);

    [LoggerMessage(20, LogLevel.Information, "The idempotency store works again for {Queue}.")]
    public static partial void StoreRecovered(this ILogger log, string queue);

    [LoggerMessage(21, LogLevel.Warning, "'{Value}' in property {Property} of a message of {Queue} is no priority, 0 to 255 (PriorityFrom): such messages have the broker's. This is told once.")]
    public static partial void NoPriority(this ILogger log, string queue, string property, string value);

    [LoggerMessage(22, LogLevel.Warning, "More than {Most} traces a second would begin on {Queue}: the others are left out. A sampler with a lower ratio (OTEL_TRACES_SAMPLER=parentbased_traceidratio, with OTEL_TRACES_SAMPLER_ARG) chooses evenly. This is told once.")]
    public static partial void TracesLeftOut(this ILogger log, string queue, int most);

    [LoggerMessage(23, LogLevel.Error, "Message {Id} of {Queue}: its handling broke off outside of its handler, so it is given back. A listener to spans that throws does this; else please report it.")]
    public static partial void JourneyBroke(this ILogger log, string id, string queue, Exception broken);

    [LoggerMessage(24, LogLevel.Error, "A listener to metrics or spans throws: {Problem} Leases are kept and messages handled, but what it is to show may be missing. This is told once.")]
    public static partial void ListenerFailed(this ILogger log, string problem);

    [LoggerMessage(37, LogLevel.Warning, "Message {Id} of {Queue} was to wait at the broker, and was given back at once instead: {Problem}")]
    public static partial void NotDelayed(this ILogger log, string id, string queue, string problem);

    [LoggerMessage(38, LogLevel.Warning, "{Count} more messages of {Queue}, all within {Seconds:0} s, were to wait at the broker and were given back at once instead. The last: {Problem}")]
    public static partial void NotDelayedToo(this ILogger log, int count, string queue, double seconds, string problem);

    [LoggerMessage(33, LogLevel.Warning, "{Count} lines are left out here: the log was not written as fast as it came. Messages were handled on.")]
    public static partial void LinesLeftOut(this ILogger log, int count);
}
