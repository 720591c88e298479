using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>What is told of a delivery: its lock, its times, and how often it came.</summary>
public sealed class IncomingTests
{
    private readonly Mail _mail = new();

    [Fact]
    public void However_often_it_was_delivered_is_told_as_a_count()
    {
        var often = Mail.Travel(new AmqpMessage { Header = new() { DeliveryCount = uint.MaxValue } });

        Assert.Equal((int.MaxValue, int.MaxValue), (Letter.Queued(often, 1).HandedOut, Letter.DeliveryCount(often)));
    }

    [Fact]
    public void How_often_this_queue_has_handed_it_out_does_not_count_what_was_before_it_was_sent_on()
    {
        var delivery = _mail.Arrive(new AmqpMessage
        {
            Header = new() { DeliveryCount = 2 },
            MessageAnnotations = _mail.Locked(),
            ApplicationProperties = new() { ["holdfast-deliveries"] = 10 },
        });

        Assert.Equal((13, 2, 3), (delivery.DeliveryCount, Letter.Queued(delivery.Original, 5).HandedOut, Letter.Swept(delivery).HandedOut));
    }

    [Fact]
    public void A_message_that_was_put_aside_begins_to_count_anew_and_its_fencing_tokens_grow_all_the_same()
    {
        var living = _mail.Arrive(Enqueued(new() { ["holdfast-deliveries"] = 10 }));
        var dead = _mail.Arrive(Enqueued(new() { ["holdfast-deliveries"] = 0, ["dead-letter-time"] = AmqpTimestamp.From(Mail.Noon.AddSeconds(1)) }));

        Assert.Equal((11, 1), (living.DeliveryCount, dead.DeliveryCount));
        Assert.True(dead.FencingToken > living.FencingToken);

        AmqpMessage Enqueued(ApplicationProperties properties)
        {
            properties["holdfast-enqueued"] = AmqpTimestamp.From(Mail.Noon);
            return new() { MessageAnnotations = _mail.Locked(), ApplicationProperties = properties };
        }
    }

    [Theory]
    [InlineData(long.MinValue)]
    [InlineData(-62135596800001)]
    [InlineData(253402300800000)]
    [InlineData(long.MaxValue)]
    public void Times_beyond_all_calendars_keep_nobody_from_a_message(long milliseconds)
    {
        AmqpTimestamp absurd = new(milliseconds);
        var letter = Mail.Travel(new AmqpMessage
        {
            Header = new() { TimeToLive = uint.MaxValue },
            MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L, ["x-opt-enqueued-time"] = absurd, ["x-opt-locked-until"] = absurd, ["theirs"] = absurd },
            Properties = new() { CreationTime = absurd, AbsoluteExpiryTime = absurd },
            ApplicationProperties = new() { ["holdfast-enqueued"] = absurd, ["dead-letter-time"] = absurd, ["theirs"] = absurd },
        });

        var delivery = _mail.Arrive(letter);

        Assert.InRange(delivery.LockDuration, TimeSpan.FromSeconds(1), TimeSpan.MaxValue);
        _ = (delivery.FencingToken, delivery.EnqueuedAt, Letter.Queued(letter, 5), Letter.Swept(delivery));
        Mail.Travel(Envelope.Later(delivery, default, Mail.Noon));
        Mail.Travel(Envelope.Replay(delivery, Mail.Noon));
    }

    [Fact]
    public void A_delivery_without_what_a_lock_needs_is_nonsense()
    {
        var whole = _mail.Locked();
        Assert.Equal(30, _mail.Arrive(new AmqpMessage { MessageAnnotations = whole }).LockDuration.TotalSeconds);

        foreach (var missing in whole.Keys.ToArray())
        {
            var rest = _mail.Locked();
            rest.Remove(missing);
            Assert.Contains("that Service Bus does not give", Assert.Throws<BrokerException>(() => _mail.Arrive(new AmqpMessage { MessageAnnotations = rest })).Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(5, 1u, true)]
    [InlineData(5, 0u, false)]
    [InlineData(6, 1u, false)]
    public void What_was_completed_as_far_as_we_could_tell_and_comes_again_is_known(long number, uint deliveries, bool isKnown)
    {
        var recollection = new Recollection();
        recollection.NoteCompleted(_mail.Arrive(Letter(5, 0)));

        Assert.Equal(isKnown, _mail.Arrive(Letter(number, deliveries), recollection: recollection).WasSettled);

        AmqpMessage Letter(long number, uint deliveries) => new()
        {
            Header = new() { DeliveryCount = deliveries },
            MessageAnnotations = new()
            {
                ["x-opt-sequence-number"] = number,
                ["x-opt-enqueued-time"] = AmqpTimestamp.From(Mail.Noon),
                ["x-opt-locked-until"] = _mail.LockedUntil,
            },
        };
    }
}
