using System.Diagnostics;
using System.Text.Json.Serialization.Metadata;
using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>A message while it is held: what a handler sees.</summary>
public sealed class HeldMessage
{
    private readonly Lease? _lease;
    private readonly Played? _played;
    private Publications? _published;

    /// <summary>A message as a handler's own unit test would make it; its lease never ends.</summary>
    /// <param name="queue">The queue that it came from.</param>
    /// <param name="message">The message itself.</param>
    /// <param name="deliveryCount">Which delivery it is.</param>
    /// <param name="enqueuedAt">When it was enqueued.</param>
    /// <param name="attempt">Which try at this delivery it is.</param>
    /// <param name="session">The session that it came in.</param>
    /// <param name="fencingToken">Its fencing token; null for one that follows from <paramref name="deliveryCount"/>.</param>
    public HeldMessage(
        string queue,
        Message message,
        int deliveryCount = 1,
        DateTimeOffset enqueuedAt = default,
        int attempt = 1,
        Session? session = null,
        long? fencingToken = null)
        : this(queue, message, deliveryCount, enqueuedAt)
    {
        Attempt = attempt;
        _played = new(session, fencingToken ?? deliveryCount);
    }

    internal HeldMessage(string queue, Lease lease)
        : this(queue, FailureHistory.Hide(lease.Delivery.Message), lease.Delivery.DeliveryCount, lease.Delivery.EnqueuedAt)
    {
        _lease = lease;
    }

    private HeldMessage(HeldMessage held, Message message, Publications? published)
        : this(held.Queue, message, held.DeliveryCount, held.EnqueuedAt)
    {
        (_lease, _played, _published) = (held._lease, held._played, published);
        (Attempt, Strand) = (held.Attempt, held.Strand);
    }

    private HeldMessage(string queue, Message message, int deliveryCount, DateTimeOffset enqueuedAt)
    {
        Queue = queue;
        Message = message;
        DeliveryCount = deliveryCount;
        EnqueuedAt = enqueuedAt;
    }

    public string Queue { get; }

    public string Id => Message.Id;

    public ReadOnlyMemory<byte> Body => Message.Body;

    public Message Message { get; }

    public DateTimeOffset EnqueuedAt { get; }

    /// <summary>
    /// How often the broker has handed this message out: 1 at first. Service Bus does not count a delivery whose session was lost with its connection, or its process.
    /// </summary>
    public int DeliveryCount { get; }

    /// <summary>The session that it came in, with its state; null where the queue has no sessions.</summary>
    public Session? Session => _lease is null ? _played!.Session : _lease.Delivery.Session;

    /// <summary>Which try at this delivery it is: 1 at first.</summary>
    public int Attempt { get; private set; } = 1;

    /// <summary>How long the lease would still be trusted if it were never renewed again; zero once it is lost. It is renewed for as long as the handler runs.</summary>
    public TimeSpan LeaseRemaining => _lease?.Remaining(Strand!.Lanes.Clock.Now) ?? TimeSpan.MaxValue;

    /// <summary>
    /// A number for handlers with side effects: it grows from one delivery of this message to the next, so a store that keeps it, and refuses a smaller one,
    /// keeps out a holder that has lost its lease and does not know yet.
    /// </summary>
    public long FencingToken => _lease?.Delivery.FencingToken ?? _played!.FencingToken;

    /// <summary>Reads the body as JSON, by the rules of a typed handler: for a queue of several kinds of messages, where what stands beside the body tells which.</summary>
    /// <exception cref="UnreadableMessageException">It is no such thing: a handler that lets it pass has its message put aside at once.</exception>
    public T Read<T>(JsonTypeInfo<T> type) => JsonBody.Read(Body.Span, type);

    /// <summary>What its handler wants sent, so far. Any thread.</summary>
    public IReadOnlyList<Publication> Published => Volatile.Read(ref _published)?.Look() ?? [];

    /// <summary>
    /// Has a message sent to a queue of the same broker once the handler returns <see cref="Settlement.Complete"/>, and before this message is completed;
    /// nothing is sent where it fails or ends it otherwise. A send that fails is a failure of the handler. Any thread, while the handler runs.
    /// </summary>
    /// <exception cref="InvalidOperationException">The handler has ended already: nothing would be sent any more.</exception>
    public void Publish(string queue, Message message, TimeSpan delay = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(queue);
        ArgumentNullException.ThrowIfNull(message);
        Collect().Add(new Publication(queue, message, delay));
    }

    /// <summary>
    /// The same message, held by the same lease, with other content: what a middleware that decrypts or unpacks hands on.
    /// What is published on either of the two is sent.
    /// </summary>
    public HeldMessage With(Message message)
    {
        ArgumentNullException.ThrowIfNull(message);
        return new(this, message, Collect());
    }

    /// <summary>
    /// The trace to go on with where a handler calls others by means that .NET does not trace: the handler's own span, or where none is made the one that the message was sent in;
    /// default where there is neither.
    /// </summary>
    public ActivityContext Trace => _lease?.Trace ?? TraceContext.Of(Message);

    /// <summary>Where its handler runs; null before it does, and where nobody holds the message.</summary>
    internal Strand? Strand { get; set; }

    /// <summary>Which of the deliveries that count against a limit it is.</summary>
    internal int Tries => _lease?.Delivery.Tries ?? DeliveryCount;

    /// <summary>Whether it only waits to be tried again.</summary>
    internal bool IsResting { get; set; }

    /// <summary>Cancelled when the message is no longer ours to handle, however long its attempts may take.</summary>
    internal CancellationToken CalledOff => _lease?.Token ?? CancellationToken.None;

    /// <summary>Its handler failed and is to run again, at once.</summary>
    internal void Retry()
    {
        Attempt++;
        LineUp();
        _lease?.Book.Meter.Retry();
    }

    /// <summary>The same for one call of a handler: what that publishes is collected for itself, whatever other calls have left running.</summary>
    internal HeldMessage ForCall() => new(this, Message, null);

    /// <summary>Its handler is called once more, or is done with for good: what it does has no claim to go before others.</summary>
    internal void LineUp()
    {
        if (Strand is { } strand)
            strand.Purpose = null;
    }

    /// <summary>
    /// Waits for a call of its handler, which the first one who says so, the innermost, knows best: once that has ended,
    /// the message's own way to its settlement goes before all other handlers' turns.
    /// </summary>
    internal ValueTask<Settlement> UntilEnd(ValueTask<Settlement> call)
    {
        if (Strand is not { Purpose: null } strand)
            return call;
        if (call.IsCompleted)
        {
            End();
            return call;
        }

        var handling = call.AsTask();
        strand.Purpose = handling;
        return new(handling);
    }

    /// <summary>The call of its handler has ended.</summary>
    internal void End()
    {
        if (Strand is { } strand)
            strand.Purpose = Task.CompletedTask;
    }

    /// <summary>The call has ended: what it published, and from here on nothing more.</summary>
    internal Publication[] EndPublishing() =>
        Interlocked.CompareExchange(ref _published, Publications.None, null)?.Close() ?? [];

    /// <summary>Has sent what one of its calls published.</summary>
    internal void Adopt(Publication[] published)
    {
        if (published.Length > 0)
            Collect().Add(published);
    }

    private Publications Collect()
    {
        if (Volatile.Read(ref _published) is { } published)
            return published;

        var first = new Publications();
        return Interlocked.CompareExchange(ref _published, first, null) ?? first;
    }

    /// <summary>What a test says instead of the broker.</summary>
    private sealed record Played(Session? Session, long FencingToken);
}
