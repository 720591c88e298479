using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>A LeaseKeeper on a clock moved by hand, with a receiver that answers by script.</summary>
internal sealed class KeeperByHand : IDisposable
{
    private const int MostLooksAtOneInstant = 1000;

    private readonly HoldfastMeter _meter = new(new Distributions(TimeProvider.System) { IsRead = true });
    private readonly Observed _observed;

    public KeeperByHand(LeaseOptions? options = null)
    {
        Options = options ?? new();
        Lanes = LaneScheduler.ByHand(Time);
        Keeper = new LeaseKeeper(Lanes, () => Spread);
        Meter = new QueueMeter("orders", _meter);
        Receiver = new FakeReceiver(Time);
        Book = NewBook(Receiver);
        _observed = new Observed(Keeper);
        Lanes.Add(_observed);
    }

    public LeaseOptions Options { get; }

    public VirtualTime Time { get; } = new();

    public LaneScheduler Lanes { get; }

    public LeaseKeeper Keeper { get; }

    public QueueMeter Meter { get; }

    public FakeReceiver Receiver { get; }

    public LeaseBook Book { get; }

    /// <summary>What chance says, from 0 to 1.</summary>
    public double Spread { get; set; }

    public double Now => Time.Elapsed.TotalSeconds;

    public long Misses => Enum.GetValues<MissReason>().Sum(Meter.Misses);

    /// <summary>How many margins were measured.</summary>
    public long Margins => Counted(_meter.Margin.Series);

    /// <summary>How many renewal requests went well, and how many came to nothing.</summary>
    public (long Done, long Failed) Operations
    {
        get
        {
            var all = _meter.Operation.Series.Where(series => series.Tags.Any(tag => "renew_message_lock".Equals(tag.Value))).ToLookup(IsFailed);
            return (Counted(all[false]), Counted(all[true]));
        }
    }

    public LeaseBook NewBook(FakeReceiver receiver) => new(
        receiver,
        Options,
        Lanes,
        Meter,
        new MessageLog("orders", Time, NullLogger.Instance),
        new MessageTracer("orders", "inmemory", _meter, NullLogger.Instance));

    public Lease Hold(double lockSeconds = 10, double? holdLimit = null, string id = "a", LeaseBook? book = null) =>
        Keeper.Hold(book ?? Book, NewDelivery(lockSeconds, holdLimit, id));

    public Delivery NewDelivery(double lockSeconds = 10, double? holdLimit = null, string id = "a", double? lockedAt = null, bool isHeldMeanwhile = false) =>
        new FakeDelivery(id, Time.GetTimestamp(), TimeSpan.FromSeconds(lockSeconds), holdLimit is { } limit ? TimeSpan.FromSeconds(limit) : null)
        {
            LockedAt = lockedAt is { } locked ? TimeSpan.FromSeconds(locked).Ticks : null,
            IsKept = isHeldMeanwhile,
        };

    /// <summary>When the lease's token was cancelled, in seconds; null for not yet.</summary>
    public Func<double?> WhenLost(Lease lease)
    {
        double? at = null;
        lease.Token.Register(() => at = Now);
        return () => at;
    }

    /// <summary>Lets this much time pass, doing everything at its time.</summary>
    public void Run(double seconds) => RunTo(Now + seconds);

    public void RunTo(double second)
    {
        var end = TimeSpan.FromSeconds(second);
        var looks = 0;
        while (true)
        {
            Lanes.RunUntilIdle();
            var next = _observed.Next < end ? _observed.Next : end;
            looks = next > Time.Elapsed ? 0 : looks + 1;
            Assert.True(looks < MostLooksAtOneInstant, "The keeper looks again and again without end.");
            if (Time.Elapsed >= end && _observed.Next > end)
                return;
            if (next > Time.Elapsed)
                Time.Advance(next - Time.Elapsed);
        }
    }

    public void Dispose()
    {
        Keeper.Dispose();
        Lanes.Dispose();
        _meter.Dispose();
    }

    private static bool IsFailed(DistributionSeries series) => series.Tags.Any(tag => tag.Key == "error.type");

    private static long Counted(IEnumerable<DistributionSeries> all)
    {
        var counts = new long[100];
        foreach (var series in all)
            series.Read(counts);
        return counts.Sum();
    }

    /// <summary>Tells exactly when the keeper wants to be called next, which the lanes only know to the millisecond.</summary>
    private sealed class Observed(LeaseKeeper keeper) : ITimedWork
    {
        public TimeSpan Next { get; private set; }

        public TimeSpan RunDue(TimeSpan now) => Next = keeper.RunDue(now);
    }

    private sealed class FakeDelivery : Delivery
    {
        [SetsRequiredMembers]
        public FakeDelivery(string id, long arrivedAt, TimeSpan lockDuration, TimeSpan? holdLimit)
        {
            Message = new Message { Id = id };
            DeliveryCount = 1;
            ArrivedAt = arrivedAt;
            LockDuration = lockDuration;
            HoldLimit = holdLimit;
        }

        public bool IsKept { get; init; }

        public override bool IsHeldMeanwhile => IsKept;
    }
}
