using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Worlds;

/// <summary>One thing that happened. What its numbers mean is the kind's; -1 where there is nothing to say.</summary>
internal readonly record struct Event(long At, EventKind Kind, short Life, short Message, short Queue, int Delivery, long A, long B)
{
    public TimeSpan Time => new(At);

    public override string ToString()
    {
        var worker = Life < 0 ? "" : $" worker {Life}";
        var message = Message < 0 ? "" : $" m{Message}";
        var delivery = Delivery < 0 ? "" : $" (delivery {Delivery})";
        var queue = Queue < 0 ? "" : $" queue {Queue}";
        return $"{Time.TotalSeconds,9:0.0000}{worker} {Kind}{message}{queue}{delivery} {Detail}".TrimEnd();
    }

    private string Detail => Kind switch
    {
        EventKind.SettleAsked => $"{(SettlementKind)A} of delivery {B}",
        EventKind.SettledAtBroker or EventKind.SettleAnswered => $"{(SettlementKind)A}: {(B == 1 ? "taken" : "refused")}",
        EventKind.SettleFailed => $"{(SettlementKind)A}",
        EventKind.RenewAnswered => $"{(Renewal)A}, asked at {new TimeSpan(B).TotalSeconds:0.0000}",
        EventKind.Begun => $"attempt {A}, {Left(B)}",
        EventKind.PublishAsked or EventKind.Published => $"by attempt {A}",
        EventKind.GoesOn => (A == 1 ? "" : "OFF ITS LANE, ") + Left(B),
        EventKind.Ended => $"{(Ending)A}",
        EventKind.ReceiveAsked => $"room for {A}",
        EventKind.SentAway => $"for {new TimeSpan(A).TotalSeconds:0.0000} s",
        EventKind.Received => $"arrived at {new TimeSpan(A).TotalSeconds:0.0000}, {B} leases held",
        EventKind.TurnBegun => $"{(Scheduling.Lane)A}, {B >> 32} lease and {B & 0xFFFFFFFF} process items waiting",
        EventKind.Trouble => $"{(TroubleKind)A}",
        EventKind.Quiet or EventKind.Stopped => $"{A} leases, {B} slots in use",
        EventKind.Room => $"room for {A}, at a limit of {B}",
        EventKind.Missed => $"{(MissReason)A}: {B}",
        _ => A < 0 ? "" : $"{A}",
    };

    private static string Left(long ticks) => $"{new TimeSpan(ticks).TotalSeconds:0.0000} s of trust left";
}

/// <summary>What can happen in a world.</summary>
internal enum EventKind : byte
{
    Sent,

    /// <summary>A worker began: one life, of which a crash or a stop is the end. A: in whose place.</summary>
    Started,
    Crashed,

    /// <summary>A: how long handlers may still take.</summary>
    StopAsked,

    /// <summary>Its lanes end: what they leave is done by the pool, in no order.</summary>
    Closing,

    /// <summary>The stop has returned. A: leases held, B: slots in use.</summary>
    Stopped,

    /// <summary>A: timers that the worker has left behind after its stop.</summary>
    TimersLeft,

    Halted,
    Resumed,

    /// <summary>A: which.</summary>
    Trouble,
    TroubleOver,

    /// <summary>What a queue's admission says has changed since a thread last took up an item. A: for how many more there is room, B: the limit.</summary>
    Room,

    /// <summary>A: for how many.</summary>
    ReceiveAsked,

    /// <summary>The broker is too busy for a receive. A: for how long it asks to be left in peace.</summary>
    SentAway,

    /// <summary>A: when it arrived, B: leases of its queue held, this one not yet among them.</summary>
    Received,
    RenewAsked,

    /// <summary>A: the outcome, B: when it was asked for.</summary>
    RenewAnswered,

    /// <summary>A: the kind, B: the message's delivery count.</summary>
    SettleAsked,

    /// <summary>A: the kind, B: 1 if the broker took it. Of all that reached the broker, asked for once or twice.</summary>
    SettledAtBroker,

    /// <summary>The same, as its worker knows it: by an answer, or, where there is none, because it has left.</summary>
    SettleAnswered,

    /// <summary>It has failed, and the broker did not do it, or its answer went with the connection. A: the kind.</summary>
    SettleFailed,

    /// <summary>The engine told the broker that it no longer trusts the lease.</summary>
    LetGo,

    /// <summary>The broker gave the message up to others, whatever it had granted. A: 1 where its lease ended with the connection, which the worker knows.</summary>
    Revoked,

    /// <summary>A handler began. A: the attempt, B: the trust left, as it is told.</summary>
    Begun,

    /// <summary>A handler awaits something, and needs no thread.</summary>
    Awaits,

    /// <summary>What a handler awaited has come; it waits for its lane.</summary>
    Ready,

    /// <summary>A handler goes on. A: 1 if on its lane, B: the trust left, as it is told.</summary>
    GoesOn,

    /// <summary>A handler was told that its time is over.</summary>
    CalledOff,

    /// <summary>A: how.</summary>
    Ended,

    /// <summary>What a handler has published is on its way to the broker. A: by which attempt.</summary>
    PublishAsked,

    /// <summary>The broker has it. A: by which attempt.</summary>
    Published,

    /// <summary>The store of a worker's place was told that a message is completed.</summary>
    StoreTold,

    /// <summary>It has kept that.</summary>
    StoreKept,

    /// <summary>A thread of the worker took up an item. A: the lane, B: what waited in the higher ones.</summary>
    TurnBegun,

    /// <summary>All is settled, and the worker has nothing to do. A: leases held, B: slots in use.</summary>
    Quiet,

    /// <summary>The same moment. A: requests that the worker waits for, and whose answers were lost.</summary>
    Unanswered,

    /// <summary>At the end. A: the reason, B: how many.</summary>
    Missed,

    /// <summary>At the end: where a message was found. A: its delivery count.</summary>
    FoundDead,
    FoundWaiting,
}
