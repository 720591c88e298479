using System.Collections.Concurrent;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>RabbitMQ, over AMQP 0-9-1.</summary>
public sealed class RabbitMqBroker : IBroker
{
    /// <summary>The server ends a connection that was silent for two heartbeats, and not before: so long is a sign of life good for.</summary>
    internal const int HeartbeatsToDeath = 2;

    private readonly ServerAddress _address;
    private readonly Func<string, Task<IConnection>>? _connect;
    private readonly Link _asking;
    private readonly Link _sending;
    private readonly Questions _questions;
    private readonly Topology _topology;
    private readonly HoldLimits _holdLimits;
    private readonly ConcurrentDictionary<string, Recollection> _recollections = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<RabbitMqReceiver, bool> _receivers = new();
    private bool _isClosed;

    /// <exception cref="FormatException">An address can't be read.</exception>
    /// <exception cref="ArgumentException">Another option can't be as it is.</exception>
    public RabbitMqBroker(RabbitMqBrokerOptions options)
        : this(options, connect: null)
    {
    }

    internal RabbitMqBroker(RabbitMqBrokerOptions options, Func<string, Task<IConnection>>? connect)
    {
        Options = options;
        _connect = connect;
        _address = OptionRules.Check(options);
        _asking = LinkFor("asking");
        _sending = LinkFor("sending");
        _questions = new Questions(_address, options.TimeProvider);
        _topology = new Topology(options, _address, _questions);
        _holdLimits = new HoldLimits(ManagementApi.Of(options), _address.VirtualHost, options.ConsumerTimeout);
        Outbox = new Outbox(_sending, _asking, _topology, _address, options);
    }

    public string System => "rabbitmq";

    public TimeProvider Time => Options.TimeProvider;

    public bool HasSessions => false;

    internal RabbitMqBrokerOptions Options { get; }

    internal Outbox Outbox { get; }

    public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) => OpenReceiverAsync(queue, inOrder: false, cancel);

    public async ValueTask<IReceiver> OpenReceiverAsync(string queue, bool inOrder, CancellationToken cancel)
    {
        // A queue that is down has the server end the connection of whoever consumes it: no other queue's leases may hang on that one.
        var receiver = new RabbitMqReceiver(this, queue, inOrder, LinkFor($"{queue}, receiving"));

        // Before it is open: a broker that is closed meanwhile closes it too.
        _receivers[receiver] = true;
        try
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _isClosed), this);
            await receiver.OpenAsync(cancel).ConfigureAwait(false);
            return receiver;
        }
        catch (Exception)
        {
            // Not waited for: who calls it off must not wait for an attempt to connect, which ends by itself.
            _ = receiver.DisposeAsync().AsTask();
            throw;
        }
    }

    public async ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel)
    {
        var connection = await _asking.OpenAsync(cancel).ConfigureAwait(false);
        await _topology.EnsureTargetAsync(connection, queue, cancel).ConfigureAwait(false);
        return new RabbitMqSender(queue, Outbox, Options.TimeProvider);
    }

    /// <summary>Ends all waits and all connections. What was not settled goes back to its queue.</summary>
    public async ValueTask DisposeAsync()
    {
        // What is opened from here on closes itself.
        Volatile.Write(ref _isClosed, true);

        // Side by side, for each that hangs takes its time; and the links last, for by them receivers ask and send.
        try
        {
            await Task.WhenAll(_receivers.Keys.Select(receiver => receiver.DisposeAsync().AsTask())).ConfigureAwait(false);
        }
        finally
        {
            await Task.WhenAll(_sending.DisposeAsync().AsTask(), _asking.DisposeAsync().AsTask()).ConfigureAwait(false);
            _holdLimits.Dispose();
        }
    }

    internal async Task<Intake> OpenIntakeAsync(Link link, string queue, bool inOrder, DroughtPatience patience, ShortLives shortLives, bool hasWorked, CancellationToken cancel)
    {
        // A receiver whose first try fails ends with its connection. This one stays, and so does the question: a queue that is slow to answer
        // is found to be there by a later try.
        var asking = await _asking.OpenAsync(cancel).ConfigureAwait(false);
        await _topology.EnsureAsync(asking, queue, cancel).ConfigureAwait(false);

        // Who receives dead letters may put them aside like anything else.
        if (QueueArguments.IsDeadLetterQueue(queue))
            await _topology.EnsureAsync(asking, QueueArguments.DeadLetterQueueOf(queue), cancel).ConfigureAwait(false);
        var connection = await link.OpenAsync(cancel).ConfigureAwait(false);
        var holdLimit = await _holdLimits.OfAsync(queue, cancel).ConfigureAwait(false);
        try
        {
            var arguments = await ConsumerArguments.OfAsync(_questions, connection, queue, Options.Declare ? Options.QueueType : null, cancel).ConfigureAwait(false);
            var channel = await connection.CreateChannelAsync(cancellationToken: cancel).ConfigureAwait(false);
            var lockDuration = connection.Heartbeat * HeartbeatsToDeath;
            return new Intake(queue, channel, lockDuration, holdLimit, RecollectionOf(queue), patience, shortLives, Options.TimeProvider, e => Explain(e, queue))
            {
                ConsumerArguments = arguments,
                HasWorked = hasWorked,
                IsInOrder = inOrder,
                Look = () => _questions.LookAsync(connection, queue, CancellationToken.None),
            };
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancel.IsCancellationRequested)
        {
            throw Explain(e, queue);
        }
    }

    /// <summary>A receiver was closed by whoever opened it.</summary>
    internal void Forget(RabbitMqReceiver receiver) => _receivers.TryRemove(receiver, out _);

    /// <summary>How many deliveries of a queue we gave back by our own will.</summary>
    internal long GivenBack(string queue) => RecollectionOf(queue).GivenBack;

    internal BrokerException Explain(Exception problem, string queue) => Problems.Of(problem, _address, queue);

    /// <summary>What it means that the server has not answered to the end of a queue's channel.</summary>
    internal string Unheard(int settled) => Problems.Unheard(settled, _address);

    private Link LinkFor(string purpose) => new(Options, _address, purpose, _connect);

    // Kept for as long as the broker is: a receiver may be closed and another one opened.
    private Recollection RecollectionOf(string queue) => _recollections.GetOrAdd(queue, _ => new Recollection(serverCounts: Options is { Declare: true, QueueType: QueueType.Quorum }));
}
