using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Lab.Leases;

/// <summary>How one run of the story is made: which scheduler, how many threads, from which seed.</summary>
/// <param name="Story">What is to be done.</param>
/// <param name="Worker">Who does it.</param>
/// <param name="Threads">On how many threads; the pool has its own number.</param>
internal sealed record Run(Story Story, WorkerKind Worker, int Threads = 1)
{
    private const string Queue = "orders";

    /// <summary>How many times faster than it was published the story is told.</summary>
    public int Faster { get; init; } = 1;

    public int Seed { get; init; } = 1;

    /// <summary>
    /// Whether a turn's CPU is really burnt in real time, and does not only hold its thread: Holdfast takes no more messages than its CPU can carry,
    /// and would find it idle. The published turns held a thread and no core.
    /// </summary>
    public bool Burns => IsHoldfast;

    /// <summary>Whether it can't be told faster: the runtime's pool grows by its own clock.</summary>
    public bool HasOwnPace => Worker == WorkerKind.DotNetPool;

    private bool IsHoldfast => Worker is WorkerKind.Lanes or WorkerKind.LanesInTurns;

    /// <summary>Runs all of it on that machine.</summary>
    public Outcome On(IMachine machine)
    {
        var story = Story.Faster(Faster);
        var broker = new InMemoryBroker(new InMemoryBrokerOptions { TimeProvider = machine.Time, LockDuration = story.Lock, MaxDeliveries = 1 });
        var lives = new Lives(machine.Time, story.Messages);
        var watched = new WatchedBroker(broker, lives);
        Send(broker, story.Messages);
        broker.Faults.Receives.Slow(story.Receive);

        if (IsHoldfast)
        {
            using var worker = new LanesWorker(story, Faster, Threads, Worker == WorkerKind.LanesInTurns, machine, watched, lives, new SeededChance(Seed).Next);
            worker.Start();
            machine.RunTo(lives.All);
            return lives.Outcome();
        }

        var scheduler = Worker switch
        {
            WorkerKind.DotNetPool => machine.OwnPool(story),
            WorkerKind.Pool => FifoScheduler.Pool(machine, story),
            _ => new FifoScheduler(machine, Threads),
        };
        var receiver = watched.OpenReceiverAsync(Queue, CancellationToken.None).AsTask().GetAwaiter().GetResult();
        var order = Worker == WorkerKind.HandedRound ? new HandedRound() : null;
        new PublishedWorker(story, machine, scheduler, receiver, lives, order).Start();
        machine.RunTo(lives.All);
        return lives.Outcome();
    }

    private static void Send(InMemoryBroker broker, int messages)
    {
        var sender = broker.OpenSenderAsync(Queue, CancellationToken.None).AsTask().GetAwaiter().GetResult();
        for (var i = 0; i < messages; i++)
            sender.SendAsync(new Message { Id = $"{i}" }, TimeSpan.Zero, CancellationToken.None).AsTask().GetAwaiter().GetResult();
    }
}
