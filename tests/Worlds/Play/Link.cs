using Holdfast.Broker;
using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>What lies between one worker and the broker of one queue: time, bad weather, and cuts. It sees all that the engine asks for, and what becomes of it.</summary>
internal sealed class Link(World world, int queue, VirtualProcess process, int life, Weather weather, Store? store, Random random)
{
    private readonly List<Call> _calls = [];
    private readonly HashSet<int> _inDoubt = [];
    private Connection? _connection;
    private int _closed;

    public string Queue => Desk.Queue;

    public Weather Weather => weather;

    /// <summary>How many requests wait for an answer that may never come.</summary>
    public int Unanswered => _calls.Count;

    private Desk Desk => world.Desks[queue];

    private bool IsCut => weather.Cuts > 0;

    private bool IsBusy => weather.Busy > TimeSpan.Zero;

    private BrokerPlan Broker => world.Plan.Queues[queue].Broker;

    private EventLog Log => world.Log;

    public async ValueTask<IReceiver> OpenReceiverAsync()
    {
        await Connected().ConfigureAwait(false);
        return new LinkReceiver(this);
    }

    public ISender OpenSender() => new LinkSender(this);

    /// <summary>The connection is gone: whatever is under way fails, and what lives with it is over.</summary>
    public void Cut()
    {
        Close();
        foreach (var call in _calls.ToArray())
            call.Fail(Gone());
    }

    /// <summary>The broker finds out that nobody is there any more.</summary>
    public void Close()
    {
        if (_connection is not { } connection)
            return;
        _connection = null;
        Desk.Sever(life);
        connection.Dispose();
        _closed++;
    }

    private static BrokerException Gone() => new("The connection is cut.", isTransient: true);

    private BrokerException TooBusy() => new("It is too busy.", isTransient: true) { RetryAfter = weather.Busy };

    // Nothing that a dead process asks for leaves it.
    private Task<Connection> Connected() =>
        process.IsDead ? new TaskCompletionSource<Connection>().Task
        : IsCut ? Task.FromException<Connection>(Gone())
        : Task.FromResult(_connection ??= new Connection(Desk.Broker, Queue));

    private TimeSpan Way(TimeSpan slow)
    {
        var longest = weather.Distance + slow;
        return longest == TimeSpan.Zero ? longest : TimeSpan.FromMicroseconds(Math.Ceiling(longest.TotalMicroseconds * random.NextDouble()));
    }

    private async ValueTask<T> AskAsync<T>(TimeSpan slow, bool mayBeLost, Exception? failure, Func<Connection, T> atBroker, CancellationToken cancel)
    {
        var connection = await Connected().ConfigureAwait(false);
        cancel.ThrowIfCancellationRequested();
        var call = NewCall<T>(cancel);
        var isLost = mayBeLost && random.Happens(weather.LostRequests);
        var isUnanswered = mayBeLost && random.Happens(weather.LostReplies);
        var isTwice = random.Happens(weather.Duplicates);
        var back = Way(slow);
        world.After(Way(slow), () =>
        {
            if (isLost || connection.IsClosed)
                return;
            if (failure is not null)
            {
                call.Fail(failure);
                return;
            }

            var answer = atBroker(connection);
            if (isTwice)
                world.After(Way(slow), () => AskAgain(connection, atBroker));
            if (!isUnanswered)
                world.After(back, () => Answer(connection, call, answer));
        });
        return await call.Answer.ConfigureAwait(false);
    }

    private Call<T> NewCall<T>(CancellationToken cancel)
    {
        var call = new Call<T>(process, call => _calls.Remove(call), cancel);
        _calls.Add(call);
        return call;
    }

    private static void AskAgain<T>(Connection connection, Func<Connection, T> atBroker)
    {
        if (!connection.IsClosed)
            atBroker(connection);
    }

    private static void Answer<T>(Connection connection, Call<T> call, T answer)
    {
        if (!connection.IsClosed)
            call.Succeed(answer);
    }

    private async ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        if (!process.IsDead)
            Log.Add(EventKind.ReceiveAsked, life, a: room.Length, queue: queue);
        var connection = await Connected().ConfigureAwait(false);

        // A connection that lives loses no request of this kind: whoever waits for messages could not tell.
        var request = NewCall<bool>(cancel);
        world.After(Way(weather.SlowReceives), () =>
        {
            if (IsBusy)
                request.Fail(TooBusy());
            else
                request.Succeed(true);
        });
        try
        {
            await request.Answer.ConfigureAwait(false);
        }
        catch (BrokerException busy) when (busy.RetryAfter is { } rest)
        {
            Log.Add(EventKind.SentAway, life, a: rest.Ticks, queue: queue);
            throw;
        }

        if (connection.IsClosed)
            throw Gone();

        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancel, connection.Closed);
        int count;
        try
        {
            count = await connection.Receiver.ReceiveAsync(room, either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancel.IsCancellationRequested)
        {
            await Arrival().ConfigureAwait(false);
            throw Gone();
        }

        Desk.HandedOut(life, room.Span[..count]);
        await Arrival().ConfigureAwait(false);
        for (var i = 0; i < count; i++)
            room.Span[i] = Receive(room.Span[i]);
        return count;
    }

    private Delivery Receive(Delivery delivery)
    {
        Log.Add(EventKind.Received, life, delivery, delivery.ArrivedAt, world.HeldBy(life, queue));
        store?.Meet(delivery);
        var number = EventLog.MessageOf(delivery.Message);
        var wasSettled = delivery.IsNamed && _inDoubt.Contains(number);
        var isGarbled = world.Plan.Messages[number].IsGarbled;
        return Broker.IsHeldMeanwhile || wasSettled || isGarbled
            ? new LinkDelivery(delivery) { IsKept = Broker.IsHeldMeanwhile, WasSettled = wasSettled, IsGarbled = isGarbled }
            : delivery;
    }

    // What comes to a machine that stands still is taken in when it goes on.
    private Task Arrival()
    {
        var arrival = new TaskCompletionSource();
        process.Arrive(arrival.SetResult);
        return arrival.Task;
    }

    private async ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        var asked = world.Now.Ticks;
        Delivery[] deliveries = due.ToArray();
        if (!process.IsDead)
        {
            foreach (var delivery in deliveries)
                Log.Add(EventKind.RenewAsked, life, delivery);
        }

        var failure = random.Happens(weather.FailedRenewals) ? new BrokerException("The renewal failed.", isTransient: true) : null;
        var answers = await AskAsync(weather.SlowRenewals, mayBeLost: true, failure, connection => connection.Renew([.. deliveries.Select(LinkDelivery.OwnOf)]), cancel).ConfigureAwait(false);
        for (var i = 0; i < deliveries.Length; i++)
            Log.Add(EventKind.RenewAnswered, life, deliveries[i], (long)answers[i], asked);
        answers.CopyTo(outcomes);
    }

    private async ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
    {
        if (!process.IsDead && !cancel.IsCancellationRequested)
            Log.Add(EventKind.SettleAsked, life, delivery, (long)settlement.Kind, delivery.DeliveryCount);
        var failure =
            IsBusy ? TooBusy()
            : random.Happens(weather.RejectedSettlements) ? new BrokerException("Not like that.", isTransient: false)
            : random.Happens(weather.FailedSettlements) ? new BrokerException("The settlement failed.", isTransient: true)
            : null;
        try
        {
            if (Broker.LongSettlement is { } longest)
                await SendCopyAsync(longest, cancel).ConfigureAwait(false);

            if (Broker.CompletesUnanswered && settlement.Kind == SettlementKind.Complete && failure is null && delivery.Fate is null)
            {
                await LeaveAsync(delivery, settlement).ConfigureAwait(false);
                return true;
            }

            // Of a settlement beside which the lease is renewed, for as long as it takes, a broker must answer for what becomes of it.
            var isTaken = await AskAsync(weather.SlowSettlements, mayBeLost: !Broker.IsHeldMeanwhile, failure, connection => Settle(connection, delivery, settlement), cancel).ConfigureAwait(false);
            Log.Add(EventKind.SettleAnswered, life, delivery, (long)settlement.Kind, isTaken ? 1 : 0);
            return isTaken;
        }
        catch (BrokerException)
        {
            Log.Add(EventKind.SettleFailed, life, delivery, (long)settlement.Kind);
            throw;
        }
    }

    // It has left, and may be lost with its connection, or come too late. Until it is there it is not known to be.
    private async ValueTask LeaveAsync(Delivery delivery, Settlement settlement)
    {
        var connection = await Connected().ConfigureAwait(false);
        _inDoubt.Add(EventLog.MessageOf(delivery.Message));
        Log.Add(EventKind.SettleAnswered, life, delivery, (long)settlement.Kind, 1);
        world.After(Way(weather.SlowSettlements), () =>
        {
            if (!connection.IsClosed && Settle(connection, delivery, settlement))
                _inDoubt.Remove(EventLog.MessageOf(delivery.Message));
        });
    }

    private async ValueTask SendCopyAsync(TimeSpan longest, CancellationToken cancel)
    {
        await Connected().ConfigureAwait(false);
        var copy = NewCall<bool>(cancel);
        world.After(Way(longest), () => copy.Succeed(true));
        await copy.Answer.ConfigureAwait(false);
    }

    private async ValueTask PublishAsync(Message notice, CancellationToken cancel)
    {
        if (!process.IsDead)
            Note(EventKind.PublishAsked, notice);

        // As with receiving, a connection that lives loses nothing: a sender waits for as long as that does.
        var connection = await Connected().ConfigureAwait(false);
        var call = NewCall<bool>(cancel);
        var fails = random.Happens(weather.FailedSettlements);
        var back = Way(weather.SlowSettlements);
        world.After(Way(weather.SlowSettlements), () =>
        {
            if (connection.IsClosed)
                return;
            if (fails)
            {
                call.Fail(new BrokerException("The message was not taken.", isTransient: true));
                return;
            }

            Note(EventKind.Published, notice);
            world.After(back, () => Answer(connection, call, true));
        });
        await call.Answer.ConfigureAwait(false);
    }

    private void Note(EventKind kind, Message notice) =>
        Log.Add(kind, life, EventLog.MessageOf(notice), int.Parse(notice.CorrelationId!), int.Parse(notice.Id));

    private bool Settle(Connection connection, Delivery delivery, Settlement settlement)
    {
        var own = LinkDelivery.OwnOf(delivery);
        var isTaken = connection.Settle(own, settlement);
        Log.SettledAtBroker(life, delivery, settlement, isTaken);
        if (isTaken)
        {
            Desk.HandedBack(own);
            LinkDelivery.Settled(delivery);
        }

        return isTaken;
    }

    private void LetGo(Delivery delivery)
    {
        if (process.IsDead)
            return;
        Log.Add(EventKind.LetGo, life, delivery);
        _connection?.Receiver.LetGo(LinkDelivery.OwnOf(delivery));
    }

    /// <summary>The worker's receiver: the same one whatever happens to the connection.</summary>
    private sealed class LinkReceiver(Link link) : IReceiver
    {
        private bool _isClosed;

        public string Queue => link.Queue;

        public bool IsConnected => !link.IsCut && !_isClosed;

        public int Epoch => link._closed;

        public int RenewalBatch => 4;

        public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            return link.ReceiveAsync(room, cancel);
        }

        public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            return link.RenewAsync(due, outcomes, cancel);
        }

        public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            return link.SettleAsync(delivery, settlement, cancel);
        }

        public void LetGo(Delivery delivery) => link.LetGo(delivery);

        public ValueTask DisposeAsync()
        {
            _isClosed = true;
            link.Close();
            return ValueTask.CompletedTask;
        }
    }

    /// <summary>The worker's sender, which goes by the same connection.</summary>
    private sealed class LinkSender(Link link) : ISender
    {
        public ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel) => link.PublishAsync(message, cancel);

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
