using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// What one entity's <c>$management</c> node answers: locks by their tokens, sessions, what is scheduled or only looked at. Any thread;
/// it completes on the connection's reader thread.
/// </summary>
/// <param name="open">Opens the links that requests travel by, unless they are there.</param>
/// <param name="problems">Says what went wrong.</param>
/// <param name="entity">Whose node it is.</param>
/// <param name="options">For how long an answer is waited for.</param>
internal sealed class ManagementNode(Func<CancellationToken, ValueTask<RequestLink>> open, Problems problems, EntityName entity, ServiceBusBrokerOptions options)
{
    private const string Prefix = "com.microsoft:";
    private const double PartForBroker = 0.9;

    // Azure gives no answer to more than that, whatever a single message may have.
    private const int MostScheduled = 1024 * 1024;

    // As the broker spells it.
    private const string DeadLetteredStatus = "suspended";

    public ManagementNode(Dialer dialer, EntityName entity, ServiceBusBrokerOptions options)
        : this(cancel => OpenAsync(dialer, entity, cancel), dialer.Problems, entity, options)
    {
    }

    public EntityName Entity => entity;

    /// <summary>How long an answer is waited for.</summary>
    public TimeSpan Patience => options.OperationTimeout;

    /// <summary>Makes sure that it can be asked.</summary>
    /// <exception cref="BrokerException">It can't be.</exception>
    public async ValueTask OpenAsync(CancellationToken cancel) => await open(cancel).ConfigureAwait(false);

    /// <summary>Renews locks, all or none, and returns until when each is ours. Null where one of them, at least, is lost, or the broker does not take these together.</summary>
    /// <param name="tokens">The locks' names.</param>
    /// <param name="link">The link that their messages came by, if it lives: the broker ends one that nothing is heard of.</param>
    /// <param name="cancel">Calls it off.</param>
    /// <exception cref="BrokerException">The broker failed; what became of them is unknown.</exception>
    public async ValueTask<DateTimeOffset[]?> RenewAsync(Guid[] tokens, string? link, CancellationToken cancel)
    {
        var answer = await AskAsync("renew-lock", new AmqpMap { ["lock-tokens"] = tokens }, link, cancel).ConfigureAwait(false);
        if (!answer.IsSuccess)
            return answer.Refusal.IsLost || (answer.Refusal.IsOfPartitions && tokens.Length > 1) ? null : throw problems.Of(answer.Refusal, entity);
        return answer.Field("expirations") is AmqpTimestamp[] expirations && expirations.Length == tokens.Length
            ? Array.ConvertAll(expirations, until => until.ToDateTimeOffset())
            : throw problems.Nonsense(entity, "a renewal that does not tell until when");
    }

    /// <summary>Settles by the lock's token. Null where it is settled; else why not, as the broker answered.</summary>
    /// <param name="token">The lock's name.</param>
    /// <param name="outcome">What becomes of its message.</param>
    /// <param name="session">The session that it came in, if any.</param>
    /// <param name="onLeft">Called once the broker may hear of it.</param>
    /// <param name="cancel">Calls it off.</param>
    /// <exception cref="BrokerException">The broker did not answer; where it may have heard of it, whether it settled is unknown.</exception>
    public async ValueTask<Refusal?> SettleAsync(Guid token, DeliveryState outcome, string? session, Action onLeft, CancellationToken cancel)
    {
        var body = new AmqpMap { ["lock-tokens"] = new[] { token }, ["disposition-status"] = StatusOf(outcome) };
        if (outcome is Rejected { Error.Info: { } info })
        {
            body["deadletter-reason"] = info.GetValueOrDefault(PropertyNames.Reason);
            body["deadletter-description"] = info.GetValueOrDefault(PropertyNames.Description);
            Change(body, info.Where(entry => entry.Key.Value is not (PropertyNames.Reason or PropertyNames.Description)));
        }
        else if (outcome is Modified { MessageAnnotations: { } properties })
        {
            Change(body, properties);
        }

        if (session is not null)
            body["session-id"] = session;
        var answer = await AskAsync("update-disposition", body, link: null, onLeft, cancel).ConfigureAwait(false);
        return answer.IsSuccess ? null : answer.Refusal;
    }

    /// <summary>
    /// Has a message delivered at its time, and returns the number by which that can be called off; or why the broker does not have it, where asking again a moment
    /// later would be of no use.
    /// </summary>
    /// <exception cref="BrokerException">The broker is busy, or did not answer: it may have it.</exception>
    public async ValueTask<(long Number, Refusal? Why)> ScheduleAsync(AmqpMessage message, CancellationToken cancel)
    {
        using var writer = new AmqpWriter();
        message.Encode(writer);
        if (writer.WrittenMemory.Length > MostScheduled)
            return (0, new Refusal(Conditions.MessageTooLarge, null));
        var entry = new AmqpMap { ["message-id"] = message.Properties?.MessageId, ["message"] = writer.ToArray() };
        if (message.Properties?.GroupId is { } session)
            entry["session-id"] = session;
        if (Annotations.PartitionKeyOf(message) is { } key)
            entry["partition-key"] = key;
        var body = new AmqpMap { ["messages"] = new List<object?> { entry } };
        Answer answer;
        try
        {
            answer = await AskAsync("schedule-message", body, link: null, cancel).ConfigureAwait(false);
        }
        catch (BrokerException problem) when (Refusal.Of(problem).Condition == Conditions.MessageTooLarge)
        {
            return (0, Refusal.Of(problem));
        }

        if (!answer.IsSuccess)
            return answer.Refusal.IsForNow ? throw problems.Of(answer.Refusal, entity) : (0, answer.Refusal);
        return answer.Field("sequence-numbers") is long[] and [var number]
            ? (number, null)
            : throw problems.Nonsense(entity, "a message was scheduled, but not numbered");
    }

    /// <summary>Calls off what was scheduled, unless it is not any more.</summary>
    public async ValueTask CancelAsync(long number)
    {
        var answer = await AskAsync("cancel-scheduled-message", new AmqpMap { ["sequence-numbers"] = new[] { number } }, link: null, CancellationToken.None).ConfigureAwait(false);
        if (answer is { IsSuccess: false, Refusal.Condition: not Conditions.MessageNotFound })
            throw problems.Of(answer.Refusal, entity);
    }

    /// <summary>Looks at messages without taking them, from that number on.</summary>
    public async ValueTask<IReadOnlyList<AmqpMessage>> PeekAsync(long from, int most, CancellationToken cancel)
    {
        var body = new AmqpMap { ["from-sequence-number"] = from, ["message-count"] = most };
        var answer = await AskAsync("peek-message", body, link: null, cancel).ConfigureAwait(false);

        // That there is none it says in either way.
        if (answer is { IsSuccess: false, Refusal.Condition: Conditions.MessageNotFound })
            return [];
        if (!answer.IsSuccess)
            throw problems.Of(answer.Refusal, entity);
        return answer.Status == Answer.NoContent ? [] : [.. Entries(answer).Select(entry => Decode(entry))];
    }

    /// <summary>Renews a session's lock, and says until when by the broker's clock. Null where it is lost.</summary>
    public async ValueTask<DateTimeOffset?> RenewSessionAsync(string session, string link, CancellationToken cancel)
    {
        var answer = await AskAsync("renew-session-lock", new AmqpMap { ["session-id"] = session }, link, cancel).ConfigureAwait(false);
        if (!answer.IsSuccess)
            return answer.Refusal.IsLost ? null : throw problems.Of(answer.Refusal, entity);
        return answer.Field("expiration") is AmqpTimestamp until ? until.ToDateTimeOffset() : throw problems.Nonsense(entity, "a session's renewal that does not tell until when");
    }

    public async ValueTask<ReadOnlyMemory<byte>?> GetSessionStateAsync(string session, string link, CancellationToken cancel)
    {
        var answer = await DoAsync("get-session-state", new AmqpMap { ["session-id"] = session }, link, cancel).ConfigureAwait(false);
        return answer.Field("session-state") switch
        {
            null => (ReadOnlyMemory<byte>?)null,
            byte[] state => (ReadOnlyMemory<byte>)state,
            _ => throw problems.Nonsense(entity, "a session's state that is not bytes"),
        };
    }

    public async ValueTask SetSessionStateAsync(string session, string link, ReadOnlyMemory<byte>? state, CancellationToken cancel) =>
        await DoAsync("set-session-state", new AmqpMap { ["session-id"] = session, ["session-state"] = state?.ToArray() }, link, cancel).ConfigureAwait(false);

    private static string StatusOf(DeliveryState outcome) => outcome switch
    {
        Accepted => "completed",
        Rejected => DeadLetteredStatus,
        _ => "abandoned",
    };

    private static void Change(AmqpMap body, IEnumerable<KeyValuePair<Symbol, object?>> properties)
    {
        AmqpMap changes = [];
        foreach (var (name, value) in properties)
            changes[name.Value] = value;
        if (changes.Count > 0)
            body["properties-to-modify"] = changes;
    }

    private async ValueTask<Answer> DoAsync(string operation, AmqpMap body, string? link, CancellationToken cancel)
    {
        var answer = await AskAsync(operation, body, link, cancel).ConfigureAwait(false);
        return answer.IsSuccess ? answer : throw problems.Of(answer.Refusal, entity);
    }

    private ValueTask<Answer> AskAsync(string operation, AmqpMap body, string? link, CancellationToken cancel) => AskAsync(operation, body, link, onLeft: null, cancel);

    // A link that nothing travels on for ten minutes the broker ends, and a session with it, however often that is renewed: but for a request that names the link.
    private async ValueTask<Answer> AskAsync(string operation, AmqpMap body, string? link, Action? onLeft, CancellationToken cancel)
    {
        var properties = new ApplicationProperties
        {
            ["operation"] = Prefix + operation,
            // Sooner than we give it up, so that the broker's own word for it is heard.
            ["com.microsoft:server-timeout"] = (uint)(options.OperationTimeout * PartForBroker).TotalMilliseconds,
        };
        if (link is not null)
            properties["associated-link-name"] = link;
        try
        {
            var requests = await open(cancel).ConfigureAwait(false);
            return await requests.AskAsync(operation, properties, body, options.OperationTimeout, onLeft, cancel).ConfigureAwait(false);
        }
        catch (BrokerException problem)
        {
            // None of it is an answer: what a new connection or its token is refused for says nothing of this request, which is tried again while its lock lasts.
            throw problem.ForNow();
        }
    }

    private static async ValueTask<RequestLink> OpenAsync(Dialer dialer, EntityName entity, CancellationToken cancel)
    {
        var line = await dialer.OpenAsync(cancel).ConfigureAwait(false);
        try
        {
            return await line.ManagementAsync(entity).WaitAsync(cancel).ConfigureAwait(false);
        }
        catch (AmqpException problem)
        {
            throw dialer.Problems.Of(problem, entity);
        }
    }

    private IEnumerable<AmqpMap> Entries(Answer answer) =>
        answer.Field("messages") is IEnumerable<object?> messages
            ? messages.Select(message => message as AmqpMap ?? throw problems.Nonsense(entity, "a message that is none"))
            : throw problems.Nonsense(entity, "messages that are no list");

    private AmqpMessage Decode(AmqpMap entry) => entry.GetValueOrDefault("message") switch
    {
        byte[] bytes => AmqpMessage.Decode(bytes),
        _ => throw problems.Nonsense(entity, "a message that is not there"),
    };
}
