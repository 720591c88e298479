using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class HeaderFrameTests
{
    private const int Most = 4096;

    // Bytes that are no UTF-8, as many as a name may have, as the client reads them.
    private static readonly string s_strange = new('\ufffd', 255);

    private static readonly Settlement s_settlement = Settlement.DeadLetter("BadOrder", Long(500)).With(new Dictionary<string, object?>
    {
        [DeadLetterProperties.Worker] = "one",
        [DeadLetterProperties.Stack] = Long(500),
        [DeadLetterProperties.ExceptionMessage] = Long(500),
        [DeadLetterProperties.Failures] = Long(500),
        ["mine"] = Long(500),
    });

    [Fact]
    public async Task A_message_whose_properties_are_too_large_is_refused_and_not_sent()
    {
        var connection = FakeConnection.Open();
        connection.FrameMax = Most;
        await using var broker = new RabbitMqBroker(new() { Uri = "amqp://host" }, _ => Task.FromResult(connection.Connection));
        await using var sender = await broker.OpenSenderAsync("orders", CancellationToken.None);

        await sender.SendAsync(Holding(100), TimeSpan.Zero, CancellationToken.None);
        var problem = await Assert.ThrowsAsync<BrokerException>(() => sender.SendAsync(Holding(Most), TimeSpan.Zero, CancellationToken.None).AsTask());

        Assert.False(problem.IsTransient);
        Assert.Matches(
            @"^The properties of a message for queue 'orders' take 4\d\d\d bytes, and RabbitMQ takes 4096 \(frame_max\)[.] Put into the body what is large, or raise frame_max in the server's configuration[.]$",
            problem.Message);
        Assert.Equal(["look", "publish"], connection.Channels.SelectMany(channel => channel.Asked()));
    }

    [Fact]
    public void Where_a_connection_has_no_limit_everything_fits() => HeaderFrame.Fit(Sent(Most), mostBytes: 0, "orders");

    [Theory]
    [InlineData(500, DeadLetterProperties.Failures, DeadLetterProperties.Stack, DeadLetterProperties.ExceptionMessage, DeadLetterProperties.Description, "mine")]
    [InlineData(1300, DeadLetterProperties.Stack, DeadLetterProperties.ExceptionMessage, DeadLetterProperties.Description, "mine")]
    [InlineData(1800, DeadLetterProperties.ExceptionMessage, DeadLetterProperties.Description, "mine")]
    [InlineData(2300, DeadLetterProperties.Description, "mine")]
    [InlineData(2800, "mine")]
    [InlineData(3300)]
    public void Of_a_dead_letter_what_we_add_gives_way_and_not_the_message(int size, params string[] kept)
    {
        var envelope = Envelope.ToPutAside(Delivered(Sent(size)), s_settlement, default);

        HeaderFrame.Fit(envelope, Most, "orders.dead");

        Assert.Equal(size, Assert.IsType<string>(envelope.Headers!["sent"]).Length);
        Assert.Equal("BadOrder", envelope.Headers[DeadLetterProperties.Reason]);
        string[] additions = [DeadLetterProperties.Failures, DeadLetterProperties.Stack, DeadLetterProperties.ExceptionMessage, DeadLetterProperties.Description, "mine"];
        Assert.Equal(kept, additions.Where(envelope.Headers.ContainsKey));
    }

    [Fact]
    public void Of_a_message_that_is_to_wait_how_often_it_came_stays_and_what_it_came_with()
    {
        var original = Sent(3000);
        original.Headers!["mine"] = "sent";
        var envelope = Envelope.ToWait(Delivered(original), s_settlement.With(new Dictionary<string, object?> { ["mine"] = Long(2000) }));

        HeaderFrame.Fit(envelope, Most, "orders.wait.5000");

        Assert.Equal(("sent", 1), (envelope.Headers!["mine"], envelope.Headers["holdfast-deliveries"]));
    }

    [Fact]
    public void Of_a_dead_letter_the_largest_that_it_came_with_gives_way_at_last_and_is_named()
    {
        var original = Sent(Most);
        original.Headers!["tenant"] = "7";
        var envelope = PutAside(original);

        Assert.Equal("sent", envelope.Headers![HeaderNames.LeftOut]);
        Assert.Equal(("7", "BadOrder", 1), (envelope.Headers["tenant"], envelope.Headers[DeadLetterProperties.Reason], envelope.Headers[DeadLetterProperties.Deliveries]));
        Assert.DoesNotContain("sent", envelope.Headers.Keys);
    }

    [Fact]
    public void What_the_server_noted_of_a_death_before_gives_way_to_what_we_tell()
    {
        var original = Sent(800);
        original.Headers!["x-death"] = new List<object?> { Long(900) };
        original.Headers["x-first-death-queue"] = "orders";

        var headers = PutAside(original).Headers!;

        Assert.Equal("x-death", headers[HeaderNames.LeftOut]);
        Assert.Equal(500, ((string)headers[DeadLetterProperties.Failures]!).Length);
    }

    [Fact]
    public void What_can_be_read_and_not_written_again_is_left_out_of_a_dead_letter_and_named()
    {
        var original = Sent(1);
        original.Headers![s_strange] = "1";
        original.Headers["nested"] = new List<object?> { new Dictionary<string, object?> { [s_strange] = "1" } };

        var headers = PutAside(original).Headers!;

        Assert.Equal(("x", $"{ShortText.Fit(s_strange)}, nested"), (headers["sent"], headers[HeaderNames.LeftOut]));
        Assert.DoesNotContain("nested", headers.Keys);
    }

    [Fact]
    public void What_was_missing_when_it_died_before_is_still_named_when_it_dies_again()
    {
        var original = Sent(Most);
        original.Headers![HeaderNames.LeftOut] = "tenant"u8.ToArray();

        Assert.Equal("tenant, sent", PutAside(original).Headers![HeaderNames.LeftOut]);
    }

    [Fact]
    public void Of_very_many_headers_of_which_some_must_go_all_go_and_why_it_was_put_aside_stays()
    {
        var original = new BasicProperties { MessageId = "a", Headers = Enumerable.Range(0, 1000).ToDictionary(n => $"{n}", _ => (object?)Long(100)) };

        var envelope = PutAside(original);

        Assert.Equal("a", envelope.MessageId);
        Assert.Equal([DeadLetterProperties.Deliveries, DeadLetterProperties.Reason, HeaderNames.LeftOut], envelope.Headers!.Keys.Order());
        Assert.Equal("all", envelope.Headers[HeaderNames.LeftOut]);
    }

    [Theory]
    [InlineData(Most, "take 4\\d\\d\\d bytes, and RabbitMQ takes 4096")]
    [InlineData(0, "has a header that can be read and not written again: \ufffd+~[0-9a-f]{16}[.]$")]
    public void Of_what_a_handler_is_to_see_again_nothing_is_cut(int size, string why)
    {
        var original = Sent(size);
        if (size == 0)
            original.Headers![s_strange] = "1";

        foreach (var envelope in new[] { Envelope.ToWait(Delivered(original), s_settlement), Envelope.ToReplay(original, default) })
            Assert.Matches(why, Assert.Throws<UnfitException>(() => HeaderFrame.Fit(envelope, Most, "orders")).Message);
    }

    [Fact]
    public void What_a_handler_adds_and_AMQP_has_no_place_for_is_left_out_and_what_the_message_came_with_is_there()
    {
        var told = new Dictionary<string, object?> { ["version"] = new Version(1, 2), ["much"] = decimal.MaxValue, ["mine"] = decimal.MaxValue, ["fine"] = 1.5m };
        var original = Sent(1);
        original.Headers!["mine"] = "sent";

        foreach (var envelope in new[] { Envelope.ToWait(Delivered(original), s_settlement.With(told)), Envelope.ToPutAside(Delivered(original), s_settlement.With(told), default) })
        {
            HeaderFrame.Fit(envelope, Most, "orders.dead");

            Assert.Equal(["fine", "mine", "sent"], envelope.Headers!.Keys.Intersect(["version", "much", "mine", "fine", "sent", HeaderNames.LeftOut]).Order());
            Assert.Equal("sent", envelope.Headers["mine"]);
        }
    }

    private static BasicProperties PutAside(BasicProperties original)
    {
        var envelope = Envelope.ToPutAside(Delivered(original), s_settlement, default);
        HeaderFrame.Fit(envelope, Most, "orders.dead");
        var size = ((IAmqpWriteable)envelope).GetRequiredBufferSize();
        Assert.InRange(size, 1, Most - 160);
        Assert.Equal(size, ((IAmqpWriteable)envelope).WriteTo(new byte[size]));
        return envelope;
    }

    private static string Long(int length) => new('x', length);

    private static Message Holding(int size) => new() { Id = "a", Properties = new Dictionary<string, object?> { ["sent"] = Long(size) } };

    private static BasicProperties Sent(int size) => new() { MessageId = "a", Headers = new Dictionary<string, object?> { ["sent"] = Long(size) } };

    private static RabbitMqDelivery Delivered(BasicProperties envelope) => new(new Tap(Opened.Idle(), prefetch: 1), Arriving.Message(envelope));
}
