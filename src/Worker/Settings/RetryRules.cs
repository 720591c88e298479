using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>What a queue's retries must not outlive: a lease, and what the broker allows. Who is refused is shown the arithmetic.</summary>
internal static class RetryRules
{
    private static readonly TimeSpan s_shortestLease = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestBusLock = TimeSpan.FromMinutes(5);

    // What any of them may be at most.
    private static readonly TimeSpan s_longestAttempt = TimeSpan.FromDays(24);

    // A heartbeat that can't be is told by itself, and twice its length may be more than a time can be.
    public static IEnumerable<OptionError> Broken(QueueSettings queue, WorkerOptions worker)
    {
        var terms = queue.Options.Retry.Terms;
        return worker.Uses("InMemory")
                ? Waits(queue, worker.InMemory.LockDuration, "Worker__InMemory__LockDuration").Concat(Deliveries(queue, worker.InMemory.MaxDeliveries))
            : worker.Uses("RabbitMq") && OptionRules.IsHeartbeat(worker.RabbitMq.Heartbeat)
                ? Waits(queue, worker.RabbitMq.Heartbeat * RabbitMqBroker.HeartbeatsToDeath, "twice Worker__RabbitMq__Heartbeat")
                    .Concat(Hold(terms, Attempt(queue), worker.RabbitMq.ConsumerTimeout))
            : worker.Uses("ServiceBus")
                ? Waits(queue, s_longestBusLock, "the longest lock of Service Bus")
            : [];
    }

    // A wait that no lease outlasts would never be waited for. A lock that can't be is told by itself.
    private static IEnumerable<OptionError> Waits(QueueSettings queue, TimeSpan lease, string what)
    {
        var terms = queue.Options.Retry.Terms;
        for (var retry = 0; retry < terms.Attempts - 1 && lease >= s_shortestLease; retry++)
        {
            var wait = terms.LongestWaitBefore(retry);
            if (wait < lease)
                continue;

            // Left alone, their number fits the wait that is so by default.
            var (setting, cure) = queue.Sets("Retry__Immediate") ? ("Retry__Immediate", "set") : ("Retry__ImmediateDelay", "set a shorter one, or Worker__Retry__Immediate to");
            yield return new(setting, $"Before retry {retry + 1} the wait may be {Show(wait)} ({Show(terms.ImmediateDelay)} doubled {retry} times, and a quarter for jitter), as long as a lease lasts ({Show(lease)}, {what}) or longer; {cure} at most {retry}, and leave longer waits to Worker__Retry__Delay.");
            yield break;
        }
    }

    // What ends an attempt first, as far as it was set: no default is refused, and of two only the one that a person would change.
    private static (string Setting, TimeSpan? Time) Attempt(QueueSettings queue) =>
        queue.Options.Retry.AttemptTimeout is { } any ? ("Retry__AttemptTimeout", any)
        : queue.Handling.Uses("Http") && queue.Sets("Http__Timeout") ? ("Http__Timeout", queue.Handling.Http.Timeout)
        : queue.Handling.Uses("Exec") ? ("Exec__Timeout", queue.Handling.Exec.Timeout)
        : default;

    // The message is held all the while, whatever the handler waits for. A time that can't be is told by itself.
    private static IEnumerable<OptionError> Hold(RetryTerms terms, (string Setting, TimeSpan? Time) attempt, TimeSpan limit)
    {
        var waits = terms.LongestWaits();
        if (attempt.Time is not { } each || each > s_longestAttempt || (each * terms.Attempts) + waits < limit)
            yield break;

        var most = TimeSpan.FromSeconds(Math.Ceiling((limit - waits).TotalSeconds / terms.Attempts) - 1);
        var cure = most > TimeSpan.Zero ? $"set at most {Show(most)}" : "set a lower Worker__Retry__Immediate";
        yield return new(attempt.Setting, $"{terms.Attempts} attempts of {Show(each)} and {Show(waits)} of waits between them are {Show((each * terms.Attempts) + waits)}, no less than Worker__RabbitMq__ConsumerTimeout ({Show(limit)}); {cure}.");
    }

    private static IEnumerable<OptionError> Deliveries(QueueSettings queue, int most)
    {
        const string Setting = "Retry__MaxDeliveries";
        var wanted = queue.Options.Retry.Terms.MaxDeliveries;
        var fit = wanted <= most || most < 1;
        return queue.Sets(Setting)
            ? Rules.Must(fit, Setting, wanted, $"more than the broker makes before it puts a message aside by itself; set at most {most}, which is Worker__InMemory__MaxDeliveries, or raise that")
            : Rules.Must(fit, "InMemory__MaxDeliveries", most, $"fewer than a message is to have before its failures put it aside, {wanted} by default; set at least that, or Worker__{Setting}={most} too");
    }

    private static string Show(TimeSpan time) => $"{time.TotalSeconds}s";
}
