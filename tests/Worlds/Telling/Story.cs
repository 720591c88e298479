using System.Text;
using Holdfast.Consumer;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Worlds;

/// <summary>Tells a person what happened in a world: who was there, what went wrong, and each event up to the broken rule.</summary>
internal static class Story
{
    private const int MostEvents = 150;

    public static string Tell(Outcome outcome)
    {
        var plan = outcome.Plan;
        var text = new StringBuilder();
        for (var i = 0; i < plan.Queues.Length; i++)
            text.AppendLine($"Queue {i}: {Tell(plan.Queues[i])}.");
        for (var i = 0; i < plan.Workers.Length; i++)
            Tell(plan.Workers[i], i, text);
        for (var i = 0; i < plan.Messages.Length; i++)
            text.AppendLine($"m{i}: {Tell(plan.Messages[i])}.");
        foreach (var trouble in plan.Troubles)
            text.AppendLine($"Trouble: {trouble}.");

        text.AppendLine();
        foreach (var happened in Events(outcome))
            text.AppendLine($"{happened}");
        foreach (var violation in outcome.Violations.Take(5))
            text.AppendLine($"BROKEN {violation}");
        return text.ToString();
    }

    // Turns are told of where their order is what is wrong: there are too many of them.
    private static ReadOnlySpan<Event> Events(Outcome outcome)
    {
        var areTurnsTold = outcome.Violations.Any(violation => violation.Rule is nameof(LanesInOrder) or nameof(EachQueueHasItsTurn));
        var until = outcome.Violations is [var first, ..] ? first.At : TimeSpan.MaxValue;
        Event[] told = [.. outcome.Events.Where(happened => happened.Time <= until && (areTurnsTold || happened.Kind != EventKind.TurnBegun))];
        return told.AsSpan(Math.Max(0, told.Length - MostEvents));
    }

    private static string Tell(QueuePlan queue) =>
        $"locks of {Seconds(queue.Broker.Lock)}{Limit(queue.Broker)}{(queue.Broker.IsConnectionBound ? ", which end with the connection" : "")}{(queue.Broker.CompletesUnanswered ? ", no answer to what is completed" : "")}{(queue.Broker.LongSettlement is { } longest ? $", renewed beside settlements of up to {Seconds(longest)}" : "")}, {queue.Broker.MaxDeliveries} deliveries at most"
        + (queue.Keys > 0 ? $"; every {queue.Keys}. message has the same key, and is handled one at a time" : "");

    private static void Tell(WorkerPlan worker, int place, StringBuilder text)
    {
        text.AppendLine($"Worker in place {place}: {(worker.IsSingleThread ? "a single thread" : $"{worker.Threads} threads and a lease thread")}, "
            + $"{(worker.TurnOrder == TurnOrder.RoundRobin ? "messages in turns, " : "")}ageing after {Seconds(worker.Ageing)}, starts at {Seconds(worker.StartAt)}, {Seconds(worker.Distance)} away{Tell(worker.Store)}.");
        for (var i = 0; i < worker.Queues.Length; i++)
            text.AppendLine($"  Queue {i}: {Tell(worker.Queues[i])}.");
    }

    private static string Tell(StorePlan? store) =>
        store is null ? "" : $", with a store that answers within {Seconds(store.Longest)}{(store.IsSound ? "" : $", of a thousand questions {store.Silent} never and {store.Failing} with a failure")}";

    private static string Tell(ConsumerPlan consumer) =>
        $"at most {consumer.MaxConcurrency} messages{(consumer.IsAdaptive ? " (adaptive)" : "")}, {consumer.ImmediateRetries} immediate retries, {consumer.MaxDeliveries} deliveries{(consumer.AttemptTimeout is { } longest ? $", attempts of {Seconds(longest)}" : "")}{(consumer.MaxBytes is { } bytes ? $", {bytes} bytes in flight" : "")}{Tell(consumer.Breaker)}{Tell(consumer.RateLimit)}";

    private static string Tell(BreakerOptions? breaker) =>
        breaker is null ? "" : $", paused for {Seconds(breaker.Pause)} to {Seconds(breaker.MaxPause)} where {breaker.FailureRatio:0.#} of {breaker.MinimumHandled} or more fail within {Seconds(breaker.Window)}";

    private static string Tell(RateLimitOptions? rate) =>
        rate is null ? "" : $", {rate.PerSecond:0.#} a second{(rate.Burst is { } burst ? $", {burst} at once" : "")}";

    private static string Tell(MessagePlan message) =>
        $"queue {message.Queue}, sent at {Seconds(message.SentAt)}, priority {message.Priority}, {(message.Steps.Length == 0 ? "nothing to do" : string.Join(", ", message.Steps))}, "
        + $"then {message.Ending}{(message.Ending == Ending.Complete ? "" : message.Failures == int.MaxValue ? " always" : $" {message.Failures} times")}{(message.HeedsToken ? "" : ", ignores its token")}{(message.Notices == 0 ? "" : $", publishes {message.Notices}")}{(message.Size == 0 ? "" : $", {message.Size} bytes")}{(message.Id is null ? "" : message.IsNamed ? $", with the id {message.Id}" : ", without an id")}{(message.IsGarbled ? ", garbled" : "")}";

    private static string Limit(BrokerPlan broker) => broker.HoldLimit is { } limit ? $", held for {Seconds(limit)} at most" : "";

    private static string Seconds(TimeSpan time) => $"{time.TotalSeconds:0.####} s";
}
