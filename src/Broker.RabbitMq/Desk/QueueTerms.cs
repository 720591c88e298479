namespace Holdfast.Broker.RabbitMq;

/// <summary>Compares the terms on which the server keeps a queue with those on which the worker works.</summary>
internal sealed class QueueTerms(QueueReport report, Version version, RabbitMqBrokerOptions options, int maxDeliveries)
{
    // From 4.0 on a quorum queue has a limit where nobody has set one.
    private const int DefaultDeliveryLimit = 20;
    private static readonly Version s_firstWithDefaultLimit = new(4, 0);
    private static readonly TimeSpan s_mostClockDifference = TimeSpan.FromSeconds(5);

    // A message that has come back more often is given up, so there is one delivery more than that. Null where there is none.
    private long? DeliveryLimit =>
        report.Type == "quorum" && (report.DeliveryLimit ?? (version >= s_firstWithDefaultLimit ? DefaultDeliveryLimit : null)) is >= 0 and var limit
            ? limit
            : null;

    public IEnumerable<Finding> Findings(DateTimeOffset now)
    {
        if (!report.TellsPolicy)
            yield return Untold("the queue");
        yield return Type();
        yield return Life();
        if (!report.IsDurable)
            yield return Finding.Warning("The queue is not durable: when the server starts anew it is gone, with all that it holds. Delete it, and declare it durable.");
        yield return Deliveries();
        yield return Length("The queue");
        yield return Priorities();
        yield return Holding();
        yield return Consumers();
        if (report.ServerTime is { } theirs)
            yield return Clock(theirs - now);
    }

    /// <summary>Of a dead-letter queue: whether it keeps what it gets, and how often that may be looked at.</summary>
    public IEnumerable<Finding> OfDeadLetters(string name)
    {
        if (!report.TellsPolicy)
            yield return Untold($"'{name}'");
        yield return Looks(name);
        yield return Stays(name);
        if (!report.IsDurable)
            yield return Finding.Error($"'{name}' is not durable: when the server starts anew it is gone, with all dead letters. Delete it, once they are elsewhere, and declare it durable.");
        if (report.MessageLife is { } life)
            yield return Finding.Warning($"The server {WhatEndsIn(name)} a dead letter that has lain in '{name}' for {life:c} (message-ttl), whether anybody has seen it or not. Take that away where they are to stay.");
        yield return Length($"'{name}'");
    }

    private static Finding Untold(string queue) =>
        Finding.Warning($"The server does not tell whether policies hold for {queue}, so the lines that follow may be wrong. It begins to some seconds after its start, or after the queue's leader has moved: ask again then; where it never does (disable_metrics_collector), look at its policies yourself.");

    private Finding Looks(string name) => DeliveryLimit is { } limit
        ? Finding.Warning($"The server gives a dead letter up after it was looked at {limit + 1} times, by dead list or show, or by a replay or purge that was told which ones: each call counts for all that it passes over. Set a policy with delivery-limit -1 on '{name}'.")
        : Finding.Ok("Dead letters can be looked at as often as one likes.");

    private string WhatEndsIn(string name) => report switch
    {
        { DeadLetterExchange: null } => "removes",
        { DeadLetterExchange: "" } => $"hands on to '{report.DeadLetterKey ?? name}', where no dead command looks for it,",
        { DeadLetterExchange: var exchange } => $"hands on to the exchange '{exchange}', behind which no dead command looks for it,",
    };

    // Nobody consumes it but those who look.
    private Finding Stays(string name) => report switch
    {
        { IsAutoDelete: true } => Finding.Error($"'{name}' is deleted with its last consumer (auto-delete), and whoever looks at dead letters is one: the server would delete all of them after the first look. Declare it without auto-delete."),
        { Expiry: { } expiry } => Finding.Warning($"The server deletes '{name}', with all dead letters, once nobody has looked at them for {expiry:c} (expires). Take that away."),
        _ => Finding.Ok("The dead-letter queue stays, whoever looks at it."),
    };

    private Finding Type() => report.IsStream
        ? Finding.Error(Problems.IsStream(report.Name ?? "This queue"))
        : Finding.Ok($"The queue is of type {report.Type}.");

    private Finding Life() => report switch
    {
        { IsAutoDelete: true } => Finding.Error(Problems.IsAutoDelete(report.Name ?? "This queue")),
        { Expiry: { } expiry } => Finding.Warning($"The server deletes the queue, with all that it holds, once nobody has consumed it for {expiry:c} (expires), and a worker consumes only while it has room. Take that away, or make it longer than any handler takes."),
        _ => Finding.Ok("The queue stays, whoever consumes it."),
    };

    private Finding Consumers() => report.IsForOneConsumer
        ? Finding.Warning("The queue serves one consumer at a time (x-single-active-consumer), and of a worker's the first that it opened: it may get fewer messages at once than Worker__MaxConcurrency, and other workers none. Declare the queue without, and set Worker__OrderBy where messages of a key must not overtake each other.")
        : Finding.Ok("The queue serves all its consumers.");

    private Finding Deliveries() => DeliveryLimit switch
    {
        null when report.Type == "classic" => Finding.Warning("A classic queue counts no deliveries: a message that ends each process which handles it would come for ever. Take a quorum queue where that may be."),
        null => Finding.Ok($"The server sets no limit to deliveries; the worker's is {maxDeliveries}."),
        var limit when limit < maxDeliveries => Finding.Error($"The server gives a message up after {limit + 1} deliveries (delivery-limit), no later than the worker, whose last one is number {maxDeliveries}: it would take the reason with it. Set Worker__Retry__MaxDeliveries to at most {limit}, or the queue's delivery-limit to at least {maxDeliveries}."),
        var limit => Finding.Ok($"The server gives a message up after {limit + 1} deliveries; the worker before that, after {maxDeliveries}."),
    };

    private Finding Length(string named)
    {
        if ((report.Number("x-max-length", "max-length") ?? report.Number("x-max-length-bytes", "max-length-bytes")) is null)
            return Finding.Ok($"{named} takes any number of messages.");

        return report switch
        {
            { Overflow: "reject-publish" } or { Type: "classic", Overflow: "reject-publish-dlx", DeadLetterExchange: null } => Finding.Ok($"{named} is limited in length, and refuses what is beyond it."),
            { Type: "classic", Overflow: "reject-publish-dlx" } => Finding.Warning($"{named} is limited in length, and refuses what comes when it is full, but hands it on to where its dead letters go as well (reject-publish-dlx): what is sent again then, as a dead letter that finds no room is every few seconds, is there once for each time. Set its overflow to reject-publish."),
            _ => Finding.Warning($"{named} is limited in length, and drops its oldest messages when it is full; set its overflow to reject-publish."),
        };
    }

    private Finding Priorities()
    {
        var most = report.Number("x-max-priority", "max-priority") ?? 0;

        // What nobody wants and the worker does not declare may be as it is, and its queues may differ in it.
        return most == options.MaxPriority || (options.MaxPriority == 0 && !options.Declare)
            ? Finding.Ok(most == 0 ? "The queue has no priorities." : $"The queue has priorities up to {most}.")
            : Finding.Warning($"The queue has {(most == 0 ? "no priorities" : $"priorities up to {most}")}, and Worker__RabbitMq__MaxPriority is {options.MaxPriority}; set it to {most}, or declare the queue anew.");
    }

    private Finding Holding() => Finding.Ok(report.ConsumerTimeout is { } limit
        ? $"A message may be held for {limit.TotalSeconds:0} s at most, as the queue says."
        : $"A message may be held for {options.ConsumerTimeout.TotalSeconds:0} s at most, as Worker__RabbitMq__ConsumerTimeout says; the queue says nothing that the server could go by.");

    private static Finding Clock(TimeSpan ahead) => ahead.Duration() > s_mostClockDifference
        ? Finding.Warning($"The server's clock is {ahead.Duration().TotalSeconds:0} s {(ahead > TimeSpan.Zero ? "ahead of" : "behind")} ours: times in messages will look wrong. Leases do not depend on it.")
        : Finding.Ok("The server's clock agrees with ours.");
}
