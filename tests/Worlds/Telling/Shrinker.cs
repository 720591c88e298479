using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>Takes out of a plan whatever the world breaks its rule without: bad luck, messages, what handlers do, workers.</summary>
internal sealed class Shrinker(Carriers carriers, int mostPlays = 1000)
{
    private int _plays;

    public Outcome Shrink(Outcome broken)
    {
        var rule = broken.Violations[0].Rule;
        while (_plays < mostPlays && Smaller(broken.Plan).Select(Play).FirstOrDefault(outcome => outcome.Violations.Any(violation => violation.Rule == rule)) is { } smaller)
            broken = smaller;
        return broken;
    }

    private Outcome Play(WorldPlan plan)
    {
        _plays++;
        return Simulator.Play(plan, carriers);
    }

    // The larger pieces first.
    private static IEnumerable<WorldPlan> Smaller(WorldPlan plan) =>
    [
        .. Without(plan.Troubles, least: 0).Select(troubles => plan with { Troubles = troubles }),
        .. Without(plan.Messages, least: 1).Select(messages => plan with { Messages = messages }),
        .. LastWorkerGone(plan),
        .. PlainerWorkers(plan),
        .. PlainerConsumers(plan),
        .. plan.Queues.SelectMany((_, number) => QueueGone(plan, number)),
        .. plan.Queues.Select((queue, index) => (queue, index)).Where(one => one.queue.Keys > 0).Select(one => plan with { Queues = With(plan.Queues, one.index, one.queue with { Keys = 0 }) }),
        .. plan.Messages.SelectMany((message, index) =>
            Without(message.Steps, least: 0).Select(steps => plan with { Messages = With(plan.Messages, index, message with { Steps = steps }) })),
        .. plan.Messages.SelectMany((message, index) =>
            Plainer(message).Select(plainer => plan with { Messages = With(plan.Messages, index, plainer) })),
    ];

    private static IEnumerable<WorldPlan> LastWorkerGone(WorldPlan plan)
    {
        if (plan.Workers.Length > 1)
        {
            yield return plan with
            {
                Workers = plan.Workers[..^1],
                Troubles = [.. plan.Troubles.Where(trouble => trouble.Worker < plan.Workers.Length - 1)],
            };
        }
    }

    private static IEnumerable<WorldPlan> PlainerWorkers(WorldPlan plan)
    {
        Func<WorkerPlan, WorkerPlan>[] plainer =
        [
            worker => worker with { Store = null },
            worker => worker with { TurnOrder = TurnOrder.StartedFirst },
        ];
        return plainer.Where(make => plan.Workers.Any(worker => make(worker) != worker)).Select(make => plan with { Workers = [.. plan.Workers.Select(make)] });
    }

    private static IEnumerable<WorldPlan> PlainerConsumers(WorldPlan plan)
    {
        Func<ConsumerPlan, ConsumerPlan>[] plainer =
        [
            consumer => consumer with { Breaker = null, RateLimit = null },
            consumer => consumer with { AttemptTimeout = null },
            consumer => consumer with { MaxBytes = null },
        ];
        var consumers = plan.Workers.SelectMany(worker => worker.Queues);
        return plainer.Where(make => consumers.Any(consumer => make(consumer) != consumer)).Select(plan.WithConsumers);
    }

    private static IEnumerable<WorldPlan> QueueGone(WorldPlan plan, int gone)
    {
        var messages = plan.Messages.Where(message => message.Queue != gone).ToArray();
        if (messages.Length > 0)
        {
            yield return plan with
            {
                Queues = [.. plan.Queues.Where((_, number) => number != gone)],
                Workers = [.. plan.Workers.Select(worker => worker with { Queues = [.. worker.Queues.Where((_, number) => number != gone)] })],
                Messages = [.. messages.Select(message => message with { Queue = NumberOf(message.Queue) })],
                Troubles = [.. plan.Troubles.Where(trouble => trouble.Queue != gone).Select(trouble => trouble with { Queue = NumberOf(trouble.Queue) })],
            };
        }

        int NumberOf(int queue) => queue > gone ? queue - 1 : queue;
    }

    private static IEnumerable<MessagePlan> Plainer(MessagePlan message)
    {
        if (message.Priority > 0)
            yield return message with { Priority = 0 };
        if (message.Ending != Ending.Complete)
            yield return message with { Ending = Ending.Complete };
        if (message.Notices > 0)
            yield return message with { Notices = 0 };
        if (message.Size > 0)
            yield return message with { Size = 0 };
        if (message.Id is not null)
            yield return message with { Id = null };
        if (message.IsGarbled)
            yield return message with { IsGarbled = false };
    }

    private static IEnumerable<T[]> Without<T>(T[] all, int least)
    {
        for (var size = all.Length; size > 0; size /= 2)
        {
            for (var from = 0; from < all.Length; from += size)
            {
                var left = all.Where((_, index) => index < from || index >= from + size).ToArray();
                if (left.Length >= least)
                    yield return left;
            }
        }
    }

    private static T[] With<T>(T[] all, int index, T one)
    {
        T[] copy = [.. all];
        copy[index] = one;
        return copy;
    }
}
