using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;
using Settlement = Holdfast.Broker.Settlement;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>What becomes of a message when it must wait, or is replayed.</summary>
public sealed class CopyTests
{
    private readonly Mail _mail = new();

    [Fact]
    public void A_copy_s_life_begins_anew_for_the_end_of_its_original_may_be_over()
    {
        var delivery = _mail.Arrive(new AmqpMessage
        {
            Header = new() { TimeToLive = 60_000 },
            MessageAnnotations = _mail.Locked(),
            Properties = new() { CreationTime = AmqpTimestamp.From(Mail.Noon), AbsoluteExpiryTime = AmqpTimestamp.From(Mail.Noon.AddMinutes(1)) },
        });

        var replayed = Mail.Travel(Envelope.Replay(delivery, Mail.Noon.AddDays(1)));
        var delayed = Mail.Travel(Envelope.Later(delivery, default, Mail.Noon.AddHours(1)));

        Assert.Equal((60_000u, AmqpTimestamp.From(Mail.Noon.AddDays(1).AddMinutes(1))), (replayed.Header!.TimeToLive, replayed.Properties!.AbsoluteExpiryTime));
        Assert.Equal((60_000u, AmqpTimestamp.From(Mail.Noon.AddHours(1).AddMinutes(1))), (delayed.Header!.TimeToLive, delayed.Properties!.AbsoluteExpiryTime));
    }

    [Fact]
    public void A_copy_that_must_wait_is_told_all_that_there_is_a_place_for()
    {
        var delivery = _mail.Arrive(new AmqpMessage { MessageAnnotations = _mail.Locked() });
        var notes = new Dictionary<string, object?> { ["list"] = new List<object?> { 1 }, ["noted"] = 7 };

        var copy = Mail.Travel(Envelope.Later(delivery, Settlement.Delay(TimeSpan.FromMinutes(5)).With(notes), Mail.Noon.AddMinutes(5)));

        Assert.Equal(["noted"], copy.ApplicationProperties!.Keys.Intersect(notes.Keys));
    }

    [Fact]
    public void A_copy_that_must_wait_remembers_its_name_and_its_deliveries_and_leaves_what_is_the_brokers()
    {
        var original = new AmqpMessage
        {
            Header = new() { DeliveryCount = 2, TimeToLive = 5000 },
            MessageAnnotations = new()
            {
                ["x-opt-enqueued-time"] = AmqpTimestamp.From(Mail.Noon),
                ["x-opt-sequence-number"] = 5L,
                ["x-opt-locked-until"] = _mail.LockedUntil,
                ["x-opt-partition-key"] = "p",
                ["mine"] = 1,
            },
            Properties = new() { MessageId = "order", ContentEncoding = "gzip", GroupId = "s" },
            ApplicationProperties = new() { ["kept"] = "yes" },
            Body = new ValueBody(42),
        };
        var delivery = _mail.Arrive(original);
        Assert.Equal(3, delivery.DeliveryCount);

        var copy = Mail.Travel(Envelope.Later(delivery, default, Mail.Noon.AddMinutes(5)));

        Assert.Equal(["x-opt-scheduled-enqueue-time", "x-opt-partition-key", "mine"], copy.MessageAnnotations!.Keys.Select(key => key.Value));
        Assert.Equal(5000u, copy.Header!.TimeToLive);
        Assert.Equal(42, Assert.IsType<ValueBody>(copy.Body).Value);
        Assert.NotEqual("order", copy.Properties!.MessageId);
        var read = Letter.Read(copy, 6);
        Assert.Equal(("order", "gzip", "s"), (read.Id, read.ContentEncoding, read.SessionId));
        Assert.Equal(["kept"], read.Properties.Keys);
        Assert.Equal(4, Letter.DeliveryCount(copy));
        Assert.Equal(Mail.Noon, Letter.FirstEnqueuedAt(copy));
    }

    [Fact]
    public void A_dead_letter_that_is_replayed_is_as_if_it_were_sent_now_and_has_a_name_that_follows_from_itself()
    {
        var delivery = _mail.Arrive(new AmqpMessage
        {
            MessageAnnotations = new()
            {
                ["x-opt-sequence-number"] = 5L,
                ["x-opt-locked-until"] = _mail.LockedUntil,
                ["x-opt-deadletter-source"] = "orders",
                ["mine"] = 1,
            },
            Properties = new() { MessageId = "order", ContentEncoding = "gzip", GroupId = "s" },
            ApplicationProperties = new()
            {
                ["kept"] = "yes",
                ["DeadLetterReason"] = "Timeout",
                ["DeadLetterErrorDescription"] = "late",
                ["dead-letter-stack"] = "at",
                ["holdfast-failures"] = "[]",
                ["holdfast-deliveries"] = 9,
                ["holdfast-enqueued"] = AmqpTimestamp.From(Mail.Noon),
                ["holdfast-replays"] = 1L,
            },
        });

        var copy = Mail.Travel(Envelope.Replay(delivery, Mail.Noon));

        Assert.Equal("holdfast-replay-1c168adb00d208e4-5-2", copy.Properties!.MessageId);
        Assert.Equal(["mine"], copy.MessageAnnotations!.Keys.Select(key => key.Value));
        var read = Letter.Read(copy, 6);
        Assert.Equal(("order", "gzip", "s"), (read.Id, read.ContentEncoding, read.SessionId));
        Assert.Equal(["holdfast-replayed-at", "holdfast-replays", "kept"], read.Properties.Keys.Order());
        Assert.Equal(1, Letter.DeliveryCount(copy));
        Assert.Null(Letter.FirstEnqueuedAt(copy));
    }

    [Theory]
    [InlineData(long.MaxValue, int.MaxValue, int.MaxValue)]
    [InlineData(ulong.MaxValue, int.MaxValue, int.MaxValue)]
    [InlineData(long.MinValue, 0, 1)]
    [InlineData(2, 2, 3)]
    [InlineData(2u, 2, 3)]
    [InlineData("2", 0, 1)]
    public void Counts_that_anybody_may_have_written_are_counts_whatever_they_say(object written, long counted, int delivered)
    {
        var delivery = _mail.Arrive(new AmqpMessage
        {
            MessageAnnotations = _mail.Locked(),
            ApplicationProperties = new() { ["holdfast-replays"] = written, ["holdfast-deliveries"] = written },
        });

        var copy = Mail.Travel(Envelope.Replay(delivery, Mail.Noon));

        Assert.Equal(counted + 1, copy.ApplicationProperties!["holdfast-replays"]);
        Assert.EndsWith($"-5-{counted + 1}", (string)copy.Properties!.MessageId!, StringComparison.Ordinal);
        Assert.Equal(delivered, delivery.DeliveryCount);
    }

    [Fact]
    public void A_dead_letter_s_age_is_counted_from_when_it_was_put_aside_however_that_was_noted()
    {
        var delivery = _mail.Arrive(new AmqpMessage
        {
            MessageAnnotations = _mail.Locked(),
            ApplicationProperties = new() { ["dead-letter-time"] = AmqpTimestamp.From(Mail.Noon.AddHours(1)), ["dead-letter-last-failure"] = Mail.Noon.ToString("O") },
        });

        Assert.Equal(Mail.Noon.AddHours(1), Letter.Swept(delivery).PutAsideAt);
        Assert.Equal(Mail.Noon.AddHours(1), Letter.Queued(delivery.Original, 5).PutAsideAt);
        Assert.DoesNotContain("dead-letter-time", Envelope.Replay(delivery, Mail.Noon).ApplicationProperties!.Keys);
        delivery.Original.ApplicationProperties!.Remove("dead-letter-time");
        Assert.Equal(Mail.Noon, Letter.Queued(delivery.Original, 5).PutAsideAt);
        delivery.Original.ApplicationProperties.Clear();
        Assert.Null(Letter.Queued(delivery.Original, 5).PutAsideAt);
    }

    [Fact]
    public void Letters_of_two_queues_are_never_taken_for_one_and_their_names_fit()
    {
        var letter = new AmqpMessage { MessageAnnotations = new() { ["x-opt-sequence-number"] = long.MaxValue, ["x-opt-locked-until"] = _mail.LockedUntil } };
        var longest = new string('o', 240);

        string[] names = [.. new[] { "orders/$DeadLetterQueue", "bills/$DeadLetterQueue", $"{longest}/$DeadLetterQueue" }.Select(queue => (string)Envelope.Replay(_mail.Arrive(letter, queue), Mail.Noon).Properties!.MessageId!)];

        Assert.Equal(3, names.Distinct().Count());
        Assert.Equal(names[0], Envelope.Replay(_mail.Arrive(letter, "Orders/$deadletterqueue"), Mail.Noon).Properties!.MessageId);
        Assert.All(names, name => Assert.InRange(name.Length, 1, 128));
    }
}
