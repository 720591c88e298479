using System.Diagnostics.CodeAnalysis;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>A delivery and its receipt: a tag that counts on the one channel it came by, and on no other.</summary>
internal sealed class RabbitMqDelivery : Delivery
{
    private const int Held = 0;
    private const int Ended = 1;
    private const int SentOn = 2;

    private readonly Arrival _arrival;
    private int _state;
    private bool _isUnwanted;

    [SetsRequiredMembers]
    public RabbitMqDelivery(Tap tap, in Arrival arrival)
    {
        _arrival = arrival;
        Tap = tap;

        // One that its sender has not named must never be taken for another, nor its redelivery for itself. And a name stays what it is when the message is sent on.
        Message = RabbitMq.Envelope.Read(Envelope, IsNamed ? ShortText.Fit(Envelope.MessageId!) : $"{Intake.Name}-{Tag}", arrival.Body);
        DeliveryCount = Intake.Recollection.DeliveryCount(arrival, Message.Id);
        WasSettled = IsRedelivered && Intake.Recollection.IsSettled(Key);
        var now = Intake.Time.GetUtcNow();
        EnqueuedAt = RabbitMq.Envelope.SentAt(Envelope) ?? now;
        FencingToken = (now - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond;
        ArrivedAt = arrival.At;
        LockDuration = Intake.LockDuration;
        HoldLimit = Intake.HoldLimit;
    }

    // The server does not note when it came, and its arrival here is another one each time.
    public override long Origin => RabbitMq.Envelope.SentAt(Envelope)?.UtcTicks ?? 0;

    /// <summary>A sign of life renews what lies on the shelf as well.</summary>
    public override long? LockedAt => Intake.LivedAt is var lived && lived > ArrivedAt ? lived : null;

    /// <summary>By the time of its arrival: the server counts not every delivery, and classic queues count none.</summary>
    public override long FencingToken { get; }

    /// <summary>The consumer that it came by.</summary>
    public Tap Tap { get; }

    /// <summary>The channel that it came by.</summary>
    public Intake Intake => Tap.Intake;

    public ulong Tag => _arrival.Tag;

    public string Exchange => _arrival.Exchange;

    public string RoutingKey => _arrival.RoutingKey;

    public override Renewal? Fate =>
        Intake.IsOver ? Renewal.Severed
        : Intake.Repeats.Replace(this) ? Renewal.Lost
        : null;

    /// <summary>Somebody who receives is told that as well, but nobody receives while there is room for nothing.</summary>
    public override string? WhySevered => Intake.WhyOver;

    /// <summary>Whether the server says that it had handed it out before and took it back, and its sender has named it, so that it can be told from others.</summary>
    public bool IsRepeat => IsRedelivered && IsNamed && _arrival.Returns > 0;

    /// <summary>Its AMQP properties, for when it is sent on.</summary>
    public IReadOnlyBasicProperties Envelope => _arrival.Envelope;

    /// <summary>What its redeliveries have in common, and no copy of it that we sent on.</summary>
    public MessageKey Key => _arrival.Key(Message.Id);

    /// <summary>Whether its sender has named it.</summary>
    public override bool IsNamed => Envelope.MessageId is { Length: > 0 };

    /// <summary>Whether it was handed out before, to whomever: what comes for the first time is no message that we know.</summary>
    public bool IsRedelivered => _arrival.IsRedelivered;

    /// <summary>Until it ends it is the channel's: the copy of one that is sent on travels by another.</summary>
    public override bool IsHeldMeanwhile => Volatile.Read(ref _state) != Ended;

    /// <summary>Of several that want to settle it, one may: a tag that is used twice costs the whole channel.</summary>
    public bool TryEnd() => Interlocked.CompareExchange(ref _state, Ended, Held) == Held;

    /// <summary>The same for a settlement that first sends a copy elsewhere: until the server has that, nothing ends.</summary>
    public bool TryBeginSendingOn() => Interlocked.CompareExchange(ref _state, SentOn, Held) == Held;

    /// <summary>The server has the copy.</summary>
    public void EndSentOn() => Volatile.Write(ref _state, Ended);

    /// <summary>The settlement was not sent, so another one may be. A full fence: who looks then whether anybody wants it sees all that came before.</summary>
    public void HoldOn() => Interlocked.Exchange(ref _state, Held);

    /// <summary>Whether it is the same message as an earlier delivery. A name may be given to several messages, so all that is cheap to compare is, and not by a hash alone: what differs is another one.</summary>
    public bool IsAgain(RabbitMqDelivery earlier) =>
        Tag > earlier.Tag
        && _arrival.Returns > earlier._arrival.Returns
        && Key == earlier.Key
        && (Exchange, RoutingKey) == (earlier.Exchange, earlier.RoutingKey)
        && RabbitMq.Envelope.SentAt(Envelope) == RabbitMq.Envelope.SentAt(earlier.Envelope)
        && Message.Body.Span.SequenceEqual(earlier.Message.Body.Span);

    /// <summary>Whether it is to go back to its queue, whatever becomes of a settlement that is under way.</summary>
    public bool IsUnwanted => Volatile.Read(ref _isUnwanted);

    /// <summary>Nobody wants it any more. A full fence: either its caller ends it, or whoever holds on to it sees this.</summary>
    public void NoteUnwanted() => Interlocked.Exchange(ref _isUnwanted, true);
}
