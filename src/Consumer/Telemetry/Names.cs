using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>Every name that telemetry knows, once. Prometheus shows them with underscores, the unit and, for a counter, <c>_total</c>.</summary>
internal static class Names
{
    public const string Meter = "Holdfast";

    public const string LeaseMisses = "holdfast.lease.misses";
    public const string LeaseRenewals = "holdfast.lease.renewals";
    public const string LeaseMargin = "holdfast.lease.margin";
    public const string LeaseLateness = "holdfast.lease.lateness";
    public const string LeasesHeld = "holdfast.leases.held";
    public const string LaneWait = "holdfast.lane.wait";
    public const string LaneTurn = "holdfast.lane.turn";
    public const string LaneQueued = "holdfast.lane.queued";
    public const string SlotsUsed = "holdfast.slots.used";
    public const string SlotsLimit = "holdfast.slots.limit";
    public const string MessagesReceived = "holdfast.messages.received";
    public const string MessagesSettled = "holdfast.messages.settled";
    public const string MessageLatency = "holdfast.message.latency";
    public const string HandlerDuration = "holdfast.handler.duration";
    public const string BrokerConnected = "holdfast.broker.connected";
    public const string ThreadsBlocked = "holdfast.threads.blocked";
    public const string ThreadsSpare = "holdfast.threads.spare_limit";
    public const string LongTurns = "holdfast.turns.long";
    public const string CpuThrottled = "holdfast.cpu.throttled";
    public const string MessagesWaiting = "holdfast.messages.waiting";
    public const string HandlerRetries = "holdfast.handler.retries";
    public const string DrainTimeouts = "holdfast.drain.timeouts";
    public const string AdmissionHolding = "holdfast.admission.holding";
    public const string LeaseLock = "holdfast.lease.lock";
    public const string ProcessStart = "process.start_time";

    public const string OperationDuration = "messaging.client.operation.duration";
    public const string ProcessDuration = "messaging.process.duration";
    public const string SentMessages = "messaging.client.sent.messages";
    public const string ConsumedMessages = "messaging.client.consumed.messages";

    public const string Publish = "publish";
    public const string Receive = "receive";
    public const string Process = "process";
    public const string Settle = "settle";
    public const string Renew = "renew_message_lock";

    /// <summary>The type of operation that <see cref="Publish"/> is.</summary>
    public const string Send = "send";

    public const string MessagingSystem = "messaging.system";
    public const string MessagingDestination = "messaging.destination.name";
    public const string MessagingOperation = "messaging.operation.name";
    public const string MessagingOperationType = "messaging.operation.type";
    public const string MessagingBatch = "messaging.batch.message_count";
    public const string MessagingMessageId = "messaging.message.id";
    public const string MessagingConversation = "messaging.message.conversation_id";
    public const string MessagingBodySize = "messaging.message.body.size";
    public const string ErrorType = "error.type";
    public const string DeliveryCount = "holdfast.delivery_count";
    public const string Attempts = "holdfast.attempts";
    public const string SettledAs = "holdfast.settlement";

    public const string Queue = "queue";
    public const string LaneTag = "lane";
    public const string Reason = "reason";
    public const string Outcome = "outcome";
    public const string Priority = "priority";

    public static string Of(MissReason reason) => reason switch
    {
        MissReason.Expired => "expired",
        MissReason.Rejected => "rejected",
        MissReason.Connection => "connection",
        MissReason.Deadline => "deadline",
        _ => "drain",
    };

    public static string Of(Renewal renewal) => renewal switch
    {
        Renewal.Renewed => "renewed",
        Renewal.Lost => "lost",
        Renewal.Severed => "severed",
        _ => "unknown",
    };

    public static string Of(SettlementKind kind) => kind switch
    {
        SettlementKind.Complete => "complete",
        SettlementKind.Abandon => "abandon",
        SettlementKind.Delay => "delay",
        _ => "dead_letter",
    };

    public static string Of(HoldReason reason) => reason switch
    {
        HoldReason.Leases => "leases",
        HoldReason.Pool => "pool",
        HoldReason.Bytes => "bytes",
        HoldReason.Breaker => "breaker",
        HoldReason.Rate => "rate",
        HoldReason.Threads => "threads",
        _ => "order",
    };

    public static string Of(Lane lane) => lane switch
    {
        Lane.Lease => "lease",
        Lane.Process => "process",
        _ => "receive",
    };
}
