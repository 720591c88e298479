using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>One random life of the real engine in virtual time: messages, handlers, faults, and a stop at some moment. All of it follows from the seed.</summary>
internal sealed class World : IDisposable
{
    private static readonly TimeSpan s_drain = TimeSpan.FromSeconds(5);

    private readonly Random _random;
    private readonly EngineByHand _hand;
    private readonly int _atOnce;
    private readonly double _lock;
    private readonly List<string> _sent = [];
    private int _running;
    private int _mostRunning;
    private int _mostHeldUnreceived;
    private int _firstAttempts;

    public World(int seed)
    {
        _random = new Random(seed);
        _atOnce = _random.Next(1, 7);
        _lock = 1 + _random.NextDouble() * 9;
        _hand = new EngineByHand(
            HandleAsync,
            options =>
            {
                options.MaxConcurrency = _atOnce;
                options.Retry.Immediate = _random.Next(3);
                options.Retry.ImmediateDelay = TimeSpan.Zero;
                options.Retry.MaxDeliveries = _random.Next(2, 6);
            },
            options =>
            {
                options.LockDuration = TimeSpan.FromSeconds(_lock);
                options.ConnectionBound = _random.Next(4) == 0;
                options.HoldLimit = _random.Next(4) == 0 ? TimeSpan.FromSeconds(_lock * 2.5) : null;
            },
            seed);
    }

    public IReadOnlyList<string> Events => _hand.Spy.Events;

    public World Play()
    {
        _hand.Start();
        for (var act = _random.Next(5, 40); act > 0; act--)
        {
            Act();
            _hand.Run(_random.NextDouble() * (_random.Next(3) == 0 ? 5 : 0.3));
        }

        Stop();
        return this;
    }

    public void Dispose() => _hand.Dispose();

    private void Act()
    {
        var faults = _hand.Faults;
        switch (_random.Next(16))
        {
            case 0: faults.Renewals.Fail(_random.Next(1, 5)); break;
            case 1: faults.Renewals.Silence(_random.Next(1, 4)); break;
            case 2: faults.Renewals.Slow(TimeSpan.FromSeconds(_random.NextDouble() * _lock)); break;
            case 3: faults.Settlements.Fail(_random.Next(1, 5), isTransient: _random.Next(4) > 0); break;
            case 4: faults.Settlements.Silence(_random.Next(1, 3)); break;
            case 5: faults.Settlements.Slow(TimeSpan.FromSeconds(_random.NextDouble() * _lock / 2)); break;
            case 6: faults.RefuseRenewals(_random.Next(1, 4)); break;
            case 7: faults.Cut(); break;
            case 8 or 9: faults.Heal(); break;
            default: Send(_random.Next(1, 5)); break;
        }
    }

    private void Send(int count)
    {
        while (count-- > 0 && !_hand.Faults.IsCut)
        {
            _sent.Add($"m{_sent.Count}");
            _hand.Send(new Message { Id = _sent[^1], Priority = (byte)_random.Next(3) });
        }
    }

    private async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        _hand.Spy.Note($"handling {message.Id} {message.DeliveryCount} {message.Attempt}");
        _firstAttempts += message.Attempt == 1 ? 1 : 0;

        // Noted, not asserted: the engine would take it for the handler's own failure.
        _mostRunning = Math.Max(_mostRunning, ++_running);
        _mostHeldUnreceived = Math.Max(_mostHeldUnreceived, _hand.Keeper.Held - _hand.Spy.Received);
        try
        {
            var length = _random.Next(3) * _random.NextDouble() * _lock * 2;
            if (length > 0)
                await (_random.Next(4) == 0 ? _hand.Sleep(length) : _hand.Nap(length, cancel));
            return _random.Next(10) switch
            {
                0 => throw new InvalidOperationException("No luck."),
                1 => Settlement.Abandon,
                2 => Settlement.Delay(TimeSpan.FromSeconds(_random.NextDouble() * 10)),
                3 => Settlement.DeadLetter("odd", "An odd message."),
                _ => Settlement.Complete,
            };
        }
        finally
        {
            _running--;
        }
    }

    private void Stop()
    {
        var isHealed = _random.Next(2) == 0;
        if (isHealed)
            _hand.Faults.Heal();

        _hand.RunTo(_hand.Engine.DrainAsync(s_drain), within: s_drain.TotalSeconds + 4);
        if (isHealed && _hand.Spy.SettlementsUnderWay == 0)
            Assert.Equal((0, 0), (_hand.Keeper.Held, _hand.Queue.Admission.Used));

        // What hangs then is given up when its trust ends, and what is lost comes back when its lock ends.
        var runsAtStop = _firstAttempts;
        _hand.Faults.Heal();
        _hand.Run(60);
        _hand.RunTo(_hand.Engine.CloseAsync(), within: 0.2);
        Assert.Equal((0, 0, 0), (_hand.Keeper.Held, _hand.Queue.Admission.Used, _hand.Counts.Held));
        Assert.Equal(runsAtStop, _firstAttempts);
        Assert.Empty(_hand.Spy.Untrusted);
        Assert.Equal(_hand.Spy.LetGo.Distinct(), _hand.Spy.LetGo);
        Assert.InRange(_mostRunning, 0, _atOnce);
        Assert.Equal(0, _mostHeldUnreceived);
        CheckMessages();
        CheckRuns();
    }

    private void CheckMessages()
    {
        var ended = _hand.Spy.Settled.Select(what => what.Split(' ')).Where(what => what[1] is "Complete" or "DeadLetter").Select(what => what[0]).ToArray();
        var left = LeftIn("orders");
        var dead = LeftIn(DeadLetters.QueueOf("orders"));
        var here = left.Concat(dead).ToArray();

        Assert.Equal(ended.Distinct(), ended);
        Assert.Equal(here.Distinct(), here);
        Assert.Empty(ended.Intersect(left));

        // The broker may have taken a settlement whose answer never came; but one must have been sent.
        foreach (var gone in _sent.Except(here).Except(ended))
            Assert.Contains(_hand.Spy.Events, what => what.EndsWith($"settling {gone} Complete", StringComparison.Ordinal));
    }

    private void CheckRuns()
    {
        var status = _hand.Status.Queues[0];
        var mayRunAgain = status.Misses + _hand.Spy.Settled.Count(what => what.EndsWith("Abandon", StringComparison.Ordinal) || what.EndsWith("Delay", StringComparison.Ordinal));
        Assert.InRange(_firstAttempts, 0, _sent.Count + mayRunAgain);
    }

    private string[] LeftIn(string queue)
    {
        var receiver = _hand.Broker.OpenReceiverAsync(queue, default).AsTask().Result;
        var room = new Delivery[1000];
        using var stop = new CancellationTokenSource();
        var receive = receiver.ReceiveAsync(room, stop.Token).AsTask();
        if (!receive.IsCompleted)
            return [];
        return [.. room.Take(receive.Result).Select(delivery => delivery.Message.Id)];
    }
}
