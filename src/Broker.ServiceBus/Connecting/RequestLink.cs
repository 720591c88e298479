using System.Collections.Concurrent;
using System.Globalization;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// A node that answers requests, such as <c>$cbs</c> or <c>orders/$management</c>: a link there and one back. Any thread; answers arrive on the connection's
/// reader thread, and what waits for them goes on there. No answer needs the thread pool; only the end of patience does.
/// </summary>
internal sealed class RequestLink
{
    private const uint MostUnanswered = 200;

    // One answer may be lost; after so many in a row that did not come there will be none.
    private const int MostInVain = 2;

    private static readonly TimeSpan s_lookEvery = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<string, Request> _requests = new(StringComparer.Ordinal);
    private readonly string _replyTo = $"holdfast-{Guid.NewGuid():N}";
    private readonly EntityName? _entity;
    private readonly Problems _problems;
    private readonly LastAnswer _lastAnswer;
    private readonly TimeProvider _time;
    private readonly ITimer _patience;
    private AmqpSession? _session;
    private AmqpSender? _there;
    private AmqpException? _end;
    private long _lastId;
    private int _isWatching;
    private int _inVain;
    private bool _hasAnswered;

    private RequestLink(EntityName? entity, Problems problems, LastAnswer lastAnswer, TimeProvider time)
    {
        (_entity, _problems, _lastAnswer, _time) = (entity, problems, lastAnswer, time);
        _patience = time.CreateTimer(static link => ((RequestLink)link!).GiveUpLate(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>What it lives in.</summary>
    public AmqpSession Session => _session!;

    public bool IsOver => Volatile.Read(ref _end) is not null;

    /// <exception cref="AmqpException">The broker refuses it, or the connection has ended.</exception>
    public static async ValueTask<RequestLink> OpenAsync(
        AmqpConnection connection, string node, EntityName? entity, Problems problems, AmqpFields? properties, LastAnswer lastAnswer, TimeProvider time, CancellationToken cancel)
    {
        var link = new RequestLink(entity, problems, lastAnswer, time);
        try
        {
            await link.OpenAsync(connection, node, properties, cancel).ConfigureAwait(false);
            return link;
        }
        catch (Exception)
        {
            // A broker that does not answer an attach may not answer this either, and is left to find out.
            link.End(new AmqpException(AmqpLevel.Link, null, "It could not be opened."));
            throw;
        }
    }

    /// <param name="operation">What is asked for, for a person.</param>
    /// <param name="properties">What is asked for, for the node.</param>
    /// <param name="body">What else the node needs.</param>
    /// <param name="patience">How long an answer is waited for.</param>
    /// <param name="onLeft">Called once the whole request is on its way, and never where it isn't; before an exception is thrown.</param>
    /// <param name="cancel">Calls it off.</param>
    /// <exception cref="BrokerException">There is no answer to be had: what became of the request, if it has left, is unknown.</exception>
    public async ValueTask<Answer> AskAsync(string operation, ApplicationProperties properties, object? body, TimeSpan patience, Action? onLeft, CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        var now = _time.GetTimestamp();
        var id = Interlocked.Increment(ref _lastId).ToString(CultureInfo.InvariantCulture);
        var request = new Request(operation, now, now + (long)(patience.TotalSeconds * _time.TimestampFrequency));
        _requests[id] = request;
        using var over = new CancellationTokenSource();
        using var callOff = cancel.UnsafeRegister(
            static (state, token) =>
            {
                var (link, id) = ((RequestLink, string))state!;
                if (link._requests.TryRemove(id, out var calledOff))
                    calledOff.TrySetCanceled(token);
            },
            (this, id));
        var sending = Task.CompletedTask;
        try
        {
            // With a full fence, for whoever ends it looks through the requests once it is over: either he sees this one, or this one sees the end.
            Watch();
            if (Volatile.Read(ref _end) is { } end)
                throw _problems.Of(end, _entity);
            using var answer = Session.Connection.AwaitAnswer();
            sending = SendAsync(request, Request.Message(properties, body, id, _replyTo), onLeft, over.Token);
            return await request.Task.ConfigureAwait(false);
        }
        finally
        {
            _requests.TryRemove(id, out _);

            // What has not left by now must not leave later, when who asked has long asked again.
            over.Cancel();

            // It has left, or never will: whichever it is, its sender knows by now.
            await sending.ConfigureAwait(false);
        }
    }

    /// <summary>Ends it with its connection, which tells nobody where the end is ours: what waits for an answer is told at once.</summary>
    public void Close() => End(new AmqpException(AmqpLevel.Connection, null, "The connection was closed."));

    private async ValueTask OpenAsync(AmqpConnection connection, string node, AmqpFields? properties, CancellationToken cancel)
    {
        _session = await connection.OpenSessionAsync(new SessionOptions(), cancel).ConfigureAwait(false);
        await _session.OpenReceiverAsync(
            new ReceiverOptions
            {
                Name = $"{_replyTo}-answers",
                Source = new Source { Address = node },
                Target = new Target { Address = _replyTo },
                SenderSettleMode = SenderSettleMode.Settled,
                Credit = MostUnanswered,
                RenewsCredit = true,
                Properties = properties,
                OnDelivery = OnAnswer,
                OnClosed = End,
            },
            cancel).ConfigureAwait(false);
        _there = await _session.OpenSenderAsync(
            new SenderOptions
            {
                Name = $"{_replyTo}-requests",
                Target = new Target { Address = node },
                Source = new Source { Address = _replyTo },
                Properties = properties,
                OnClosed = End,
            },
            cancel).ConfigureAwait(false);
    }

    // Not waited for but by the request: a broker that takes no requests must not outlast its patience.
    private async Task SendAsync(Request request, AmqpMessage message, Action? onLeft, CancellationToken cancel)
    {
        try
        {
            using var writer = new AmqpWriter();
            message.Encode(writer);
            await _there!.SendAsync(writer.WrittenMemory, messageFormat: 0, settled: true, cancel).ConfigureAwait(false);
            onLeft?.Invoke();
        }
        catch (Exception problem)
        {
            request.TrySetException(problem as OperationCanceledException ?? (Exception)_problems.Of(problem, _entity));
        }
    }

    private void Watch()
    {
        if (Interlocked.Exchange(ref _isWatching, 1) == 0)
            _patience.Change(s_lookEvery, Timeout.InfiniteTimeSpan);
    }

    private void OnAnswer(AmqpDelivery delivery)
    {
        if (!delivery.IsSettled)
            delivery.Receiver.Settle(delivery, Accepted.Instance);

        var message = AmqpMessage.Decode(delivery.Payload);
        if (message is { Body: UnreadBody { Problem: var problem }, Properties: null })
        {
            End(new AmqpException(AmqpLevel.Link, null, $"An answer that can't be read: {problem}"));
            return;
        }

        (_inVain, _hasAnswered) = (0, true);
        _lastAnswer.Note();
        if (message.Properties?.CorrelationId is not { } id || !_requests.TryRemove($"{id}", out var request))
            return;
        if (message.Body is UnreadBody unread)
            request.TrySetException(_problems.Nonsense(_entity, $"an answer to {request.Operation} that can't be read: {unread.Problem}"));
        else if (Answer.Of(message) is { } answer)
            request.TrySetResult(answer);
        else
            request.TrySetException(_problems.Nonsense(_entity, $"an answer to {request.Operation} without a status"));
    }

    private void GiveUpLate()
    {
        Volatile.Write(ref _isWatching, 0);
        var now = _time.GetTimestamp();
        foreach (var (id, request) in _requests)
        {
            if (request.Deadline > now || !_requests.TryRemove(id, out _))
                continue;

            // Where nothing at all has come, the path may be cut, or we were held up: that is for the connection to find out.
            if (Session.Connection.LastReadAt > request.SentAt && ++_inVain >= MostInVain)
                GiveUp(request);

            // In this order: who hears of it asks anew at once, and by another link.
            request.TrySetException(_problems.Silence(_entity, request.Operation, _time.GetElapsedTime(request.SentAt, now)));
        }

        if (!_requests.IsEmpty && !IsOver)
            Watch();
    }

    // A link that has answered before is opened anew on the same connection. One that never did is its connection's fault, as far as we can tell:
    // not where another node has answered meanwhile, for others hang on that connection, and sessions end with it.
    private void GiveUp(Request request)
    {
        var why = $"{_inVain} requests in a row were not answered";
        if (_hasAnswered || _lastAnswer.IsSince(request.SentAt))
            End(new AmqpException(AmqpLevel.Link, null, why));
        else
            Session.Connection.GiveUp(why);
    }

    private void End(AmqpException why)
    {
        if (Interlocked.CompareExchange(ref _end, why, null) is not null)
            return;
        _patience.Dispose();
        foreach (var (id, request) in _requests)
        {
            if (_requests.TryRemove(id, out _))
                request.TrySetException(_problems.Of(why, _entity));
        }

        // One of its two links may have ended alone, and neither takes the session with it.
        if (_session is { Failure: null } session)
            _ = session.CloseAsync(CancellationToken.None).AsTask();
    }
}
