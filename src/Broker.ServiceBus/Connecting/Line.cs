using System.Collections.Concurrent;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// One living connection. Before anything of an entity is attached, it is told who we are for that entity, and again before that expires. Any thread;
/// what completes, completes on the connection's reader thread.
/// </summary>
internal sealed class Line
{
    private const string Authority = "$cbs";

    // A token that lasts for long, or can't be renewed, is not looked at for as long: with more than that, those that nothing lives by are looked for.
    private const int FewGrants = 256;

    private static readonly AmqpFields s_managementProperties = new() { ["com.microsoft:entity-type"] = "entity-mgmt" };

    private readonly ConcurrentDictionary<string, Grant> _grants = new(StringComparer.OrdinalIgnoreCase);
    private readonly ConcurrentDictionary<string, Kept<RequestLink>> _nodes = new(StringComparer.OrdinalIgnoreCase);
    private readonly LastAnswer _lastAnswer;
    private readonly Patience _patience;
    private readonly ServiceBusBrokerOptions _options;
    private readonly NamespaceAddress _address;
    private readonly ITokenSource _tokens;
    private readonly Problems _problems;
    private volatile bool _isClosed;

    public Line(AmqpConnection connection, ServiceBusBrokerOptions options, NamespaceAddress address, ITokenSource tokens, Problems problems)
    {
        Connection = connection;
        _lastAnswer = new LastAnswer(options.TimeProvider);
        _patience = new Patience(options.OperationTimeout);
        (_options, _address, _tokens, _problems) = (options, address, tokens, problems);
    }

    public AmqpConnection Connection { get; }

    public bool IsOver => _isClosed || Connection.Failure is not null;

    /// <exception cref="Exception">The broker can't be reached, or refuses us.</exception>
    public static async Task<Line> OpenAsync(
        AmqpConnectionOptions where, ServiceBusBrokerOptions options, NamespaceAddress address, ITokenSource tokens, Problems problems, CancellationToken cancel)
    {
        var connection = await ConnectAsync(where, problems, cancel).ConfigureAwait(false);
        var line = new Line(connection, options, address, tokens, problems);
        try
        {
            await line.AuthorityAsync().WaitAsync(cancel).ConfigureAwait(false);
            return line;
        }
        catch (Exception)
        {
            connection.Abort();
            throw;
        }
    }

    /// <param name="entity">What to receive from.</param>
    /// <param name="link">How.</param>
    /// <param name="wait">How long the broker was asked to wait before it answers.</param>
    /// <param name="cancel">Calls it off.</param>
    /// <exception cref="AmqpException">The broker refuses the link, or the connection has ended.</exception>
    /// <exception cref="BrokerException">The broker does not let us, or does not answer.</exception>
    public ValueTask<AmqpReceiver> OpenReceiverAsync(EntityName entity, ReceiverOptions link, TimeSpan wait, CancellationToken cancel) =>
        AttachAsync(entity, wait, (session, patience) => session.OpenReceiverAsync(link, patience), cancel);

    /// <exception cref="AmqpException">The broker refuses the link, or the connection has ended.</exception>
    /// <exception cref="BrokerException">The broker does not let us, or does not answer.</exception>
    public ValueTask<AmqpSender> OpenSenderAsync(EntityName entity, SenderOptions link, CancellationToken cancel) =>
        AttachAsync(entity, TimeSpan.Zero, (session, patience) => session.OpenSenderAsync(link, patience), cancel);

    /// <summary>Where requests about an entity go.</summary>
    /// <inheritdoc cref="OpenSenderAsync"/>
    public Task<RequestLink> ManagementAsync(EntityName entity) => NodeAsync(entity.Management, entity);

    /// <summary>Where tokens are shown.</summary>
    public Task<RequestLink> AuthorityAsync() => NodeAsync(Authority, null);

    /// <summary>The broker no longer lets us use it: the next link begins with a new token. Returns why the last one could not be renewed, where that was tried.</summary>
    public BrokerException? Forget(EntityName entity) => _grants.TryGetValue(entity.Path, out var grant) ? grant.Forget() : null;

    /// <summary>What will soon keep an entity from being used, where that is known.</summary>
    public string? ObstacleOf(EntityName entity) => _grants.TryGetValue(entity.Path, out var grant) ? grant.Obstacle : null;

    /// <summary>Nothing of it is open any more: whoever needs it next shows a token of his own.</summary>
    public void Drop(EntityName entity, Grant grant)
    {
        // A node that is just being opened holds a grant of its own, or is about to.
        if (_grants.TryRemove(new(entity.Path, grant)) && _nodes.TryGetValue(entity.Management, out var node) && node is { IsOpening: false, Opened: null or { IsOver: true } })
            _nodes.TryRemove(new(entity.Management, node));
    }

    public async ValueTask CloseAsync()
    {
        Stop();
        await Connection.CloseAsync(CancellationToken.None).ConfigureAwait(false);
    }

    /// <summary>Ends it without a word, where the broker has fallen silent.</summary>
    public void Abort()
    {
        Stop();
        Connection.Abort();
    }

    private static async Task<AmqpConnection> ConnectAsync(AmqpConnectionOptions where, Problems problems, CancellationToken cancel)
    {
        try
        {
            return await AmqpConnection.OpenAsync(where, cancel).ConfigureAwait(false);
        }
        catch (AmqpException problem)
        {
            throw problems.Unopened(problem);
        }
    }

    // No token needs to be renewed any more, and nobody is to wait for an answer.
    private void Stop()
    {
        _isClosed = true;
        foreach (var grant in _grants.Values)
            grant.Dispose();
        foreach (var node in _nodes.Values)
            node.Opened?.Close();
    }

    // Each link has a session of its own.
    private ValueTask<T> AttachAsync<T>(EntityName entity, TimeSpan wait, Func<AmqpSession, CancellationToken, ValueTask<T>> attach, CancellationToken cancel) =>
        GrantedAsync(entity, grant => InTimeAsync(entity, wait, _options.OperationTimeout + wait, patience => AttachAsync(grant, attach, patience), cancel), cancel);

    private async ValueTask<T> AttachAsync<T>(Grant grant, Func<AmqpSession, CancellationToken, ValueTask<T>> attach, CancellationToken cancel)
    {
        var session = await Connection.OpenSessionAsync(new SessionOptions(), cancel).ConfigureAwait(false);
        grant.Serve(session);
        try
        {
            return await attach(session, cancel).ConfigureAwait(false);
        }
        catch (Exception)
        {
            _ = session.CloseAsync(CancellationToken.None).AsTask();
            throw;
        }
    }

    // Opened anew when it has ended: the broker detaches what is idle for long.
    private Task<RequestLink> NodeAsync(string node, EntityName? entity) =>
        _nodes.GetOrAdd(node, static (node, made) => new(_ => made.line.OpenNodeAsync(node, made.entity), link => link.IsOver), (line: this, entity)).OpenAsync();

    private async Task<RequestLink> OpenNodeAsync(string node, EntityName? entity) => entity is null
        ? await OpenNodeAsync(node, null, null).ConfigureAwait(false)
        : await GrantedAsync(
            entity,
            async grant =>
            {
                var link = await OpenNodeAsync(node, entity, s_managementProperties).ConfigureAwait(false);
                grant.Serve(link.Session);
                return link;
            },
            CancellationToken.None).ConfigureAwait(false);

    private ValueTask<RequestLink> OpenNodeAsync(string node, EntityName? entity, AmqpFields? properties) => _patience.AskAsync(most => InTimeAsync(
        entity,
        TimeSpan.Zero,
        most,
        patience => RequestLink.OpenAsync(Connection, node, entity, _problems, properties, _lastAnswer, _options.TimeProvider, patience),
        CancellationToken.None));

    // A broker that does not answer an attach is not waited for any longer than one that does not answer a request.
    private async ValueTask<T> InTimeAsync<T>(EntityName? entity, TimeSpan wait, TimeSpan most, Func<CancellationToken, ValueTask<T>> open, CancellationToken cancel)
    {
        using var patience = new CancellationTokenSource(most, _options.TimeProvider);

        // One that was asked to wait may be silent meanwhile.
        using var answer = wait == TimeSpan.Zero ? Connection.AwaitAnswer() : default(AnswerWait?);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancel, patience.Token);
        try
        {
            return await open(either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (patience.IsCancellationRequested && !cancel.IsCancellationRequested)
        {
            throw _problems.Silence(entity, "attach", most);
        }
        catch (AmqpException refused) when (entity is not null && refused.Condition?.Value == Conditions.Unauthorized)
        {
            Forget(entity);
            throw;
        }
    }

    // Nobody drops it meanwhile.
    private async ValueTask<T> GrantedAsync<T>(EntityName entity, Func<Grant, ValueTask<T>> open, CancellationToken cancel)
    {
        var grant = Enter(entity);
        try
        {
            await grant.HoldsAsync().WaitAsync(cancel).ConfigureAwait(false);
            return await open(grant).ConfigureAwait(false);
        }
        finally
        {
            grant.Leave();
        }
    }

    private Grant Enter(EntityName entity)
    {
        while (true)
        {
            var grant = _grants.GetOrAdd(entity.Path, static (_, made) => new Grant(made.line, made.entity, made.line._address.Audience(made.entity), made.line._tokens, made.line._problems, made.line._options), (line: this, entity));
            if (grant.TryEnter())
            {
                DropIdle();
                return grant;
            }

            Drop(entity, grant);
        }
    }

    private void DropIdle()
    {
        if (_grants.Count <= FewGrants)
            return;
        foreach (var (_, grant) in _grants)
            grant.TryDrop();
    }
}
