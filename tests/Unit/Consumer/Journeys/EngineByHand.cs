using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>The real engine and the embedded broker on one clock that is moved by hand, lanes included.</summary>
internal sealed class EngineByHand : IDisposable
{
    private const int MostStepsAtOneInstant = 10_000;
    private const string BrokerSystem = "inmemory";

    private readonly ISender _sender;

    public EngineByHand(
        Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle,
        Action<QueueOptions>? configure = null,
        Action<InMemoryBrokerOptions>? configureBroker = null,
        int seed = 0,
        IIdempotencyStore? store = null,
        ILogger? log = null,
        params string[] otherQueues)
    {
        var brokerOptions = new InMemoryBrokerOptions { TimeProvider = Time, LockDuration = TimeSpan.FromSeconds(10), MaxDeliveries = 100 };
        configureBroker?.Invoke(brokerOptions);
        Broker = new InMemoryBroker(brokerOptions);
        Spy = new Spy(Broker, Time);
        _sender = Broker.OpenSenderAsync("orders", default).AsTask().GetAwaiter().GetResult();

        var options = new QueueOptions { MaxConcurrency = 4, Admission = AdmissionMode.Fixed, Retry = { Immediate = 0 } };
        configure?.Invoke(options);
        Func<double> random = new Random(seed).NextDouble;
        log ??= NullLogger.Instance;
        Lanes = LaneScheduler.ByHand(Time);
        Keeper = new LeaseKeeper(Lanes, random);
        Queues = [.. otherQueues.Prepend("orders").Select(name => NewQueue(name, handle, options, Lanes, Meter, random, log, store))];
        Engine = new Engine(Lanes, Keeper, Meter, Spy, new(Lanes.Clock.Time, 1, 0), Queues, log);
    }

    public VirtualTime Time { get; } = new();

    public HoldfastMeter Meter { get; } = new(new(TimeProvider.System) { IsRead = true });

    public InMemoryBroker Broker { get; }

    public Faults Faults => Broker.Faults;

    public Spy Spy { get; }

    public LaneScheduler Lanes { get; }

    public LeaseKeeper Keeper { get; }

    public IReadOnlyList<QueueRun> Queues { get; }

    public QueueRun Queue => Queues[0];

    public Engine Engine { get; }

    public double Now => Time.Elapsed.TotalSeconds;

    public EngineStatus Status => Engine.Status();

    public InMemoryQueueCounts Counts => Broker.Counts("orders");

    public long Misses(MissReason reason) => Queue.Meter.Misses(reason);

    /// <summary>A queue, put together as the engine's host does it.</summary>
    public static QueueRun NewQueue(
        string name,
        Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle,
        QueueOptions options,
        LaneScheduler lanes,
        HoldfastMeter meter,
        Func<double> random,
        ILogger log,
        IIdempotencyStore? store = null)
    {
        var admission = Admission.Of(options, name, lanes, log);
        var attempts = new Attempts(handle, options.Retry, admission, lanes.Clock.Time, random);
        return new(name, options, new QueueMeter(name, meter, BrokerSystem), admission, attempts, lanes, log)
        {
            Completed = new(name, store, lanes.Clock.Time, log),
            Tracer = new(name, BrokerSystem, meter, log),
        };
    }

    public void Send(params string[] ids)
    {
        foreach (var id in ids)
            Send(new Message { Id = id });
    }

    public void Send(Message message)
    {
        Spy.Note($"sent {message.Id}");
        _ = _sender.SendAsync(message, TimeSpan.Zero, default).AsTask();
    }

    /// <summary>Takes what waits in a queue.</summary>
    public Message Take(string queue)
    {
        var receiver = Broker.OpenReceiverAsync(queue, default).AsTask().GetAwaiter().GetResult();
        var room = new Delivery[1];
        var taken = receiver.ReceiveAsync(room, default);
        Assert.True(taken.IsCompletedSuccessfully, $"Nothing waits in {queue}.");
        return room[0].Message;
    }

    /// <summary>Takes the dead letter, which must be this one.</summary>
    public Message DeadLetter(string id)
    {
        var letter = Take(DeadLetters.QueueOf("orders"));
        Assert.Equal(id, letter.Id);
        return letter;
    }

    public EngineByHand Start()
    {
        Engine.Start();
        Run(0);
        return this;
    }

    /// <summary>Lets this much time pass, doing everything at its time.</summary>
    public void Run(double seconds)
    {
        var end = Time.Elapsed + TimeSpan.FromSeconds(seconds);
        var steps = 0;
        Lanes.RunUntilIdle();
        while (Step(end) is { } step)
        {
            steps = step > TimeSpan.Zero ? 0 : steps + 1;
            Assert.True(steps < MostStepsAtOneInstant, "There is always more to do at this instant.");
            Time.Advance(step);
            Lanes.RunUntilIdle();
        }
    }

    /// <summary>Runs until the task has ended, which it must within this time.</summary>
    public void RunTo(Task end, double within)
    {
        for (var left = within; !end.IsCompleted && left > 0; left -= 0.1)
            Run(0.1);
        Assert.True(end.IsCompleted, $"This should have ended within {within} s.");
        end.GetAwaiter().GetResult();
    }

    /// <summary>Waits on the virtual clock, whatever happens.</summary>
    public Task Sleep(double seconds) => Nap(seconds, CancellationToken.None);

    /// <summary>Waits on the virtual clock, and never leaves its thread: a Task.Delay that is called off goes on in the pool.</summary>
    public Task Nap(double seconds, CancellationToken cancel)
    {
        var nap = new TaskCompletionSource();
        var timer = Time.CreateTimer(_ => nap.TrySetResult(), null, TimeSpan.FromSeconds(seconds), Timeout.InfiniteTimeSpan);
        cancel.UnsafeRegister(_ => nap.TrySetCanceled(cancel), null);
        return Dispose();

        async Task Dispose()
        {
            using (timer)
                await nap.Task;
        }
    }

    public void Dispose()
    {
        Engine.Dispose();
        _ = Broker.DisposeAsync().AsTask();
    }

    // Null once there is nothing left to do until the end.
    private TimeSpan? Step(TimeSpan end)
    {
        var next = Lanes.UntilDueInPlace;
        if (Time.UntilNextTimer is { } timer && timer < next)
            next = timer;
        if (Time.Elapsed + next <= end)
            return next;
        return Time.Elapsed < end ? end - Time.Elapsed : null;
    }
}
