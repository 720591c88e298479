using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Connecting;

public sealed class ClosingTests
{
    [Fact]
    public async Task Our_close_waits_for_the_peers()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        var closing = peer.Connection.CloseAsync(default).AsTask();
        Assert.Null(peer.Next<Close>().Error);
        Assert.NotNull(session.Failure);

        peer.Say(new End(), channel: 0);
        Assert.True(peer.IsListened);
        peer.Say(new Close());
        Assert.False(peer.IsListened);
        Assert.False(closing.IsCompleted);
        peer.Break();
        await closing;
        await peer.Connection.CloseAsync(default);
        Assert.Empty(peer.Closed);
    }

    [Fact]
    public async Task The_peers_close_is_answered_and_told_to_all()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        var opening = session.OpenSenderAsync(new SenderOptions { Target = new Target() }, default).AsTask();
        peer.Next<Attach>();
        peer.Say(new Close(new AmqpError(ErrorConditions.ConnectionForced, "maintenance")));
        Assert.Null(peer.Next<Close>().Error);
        Assert.False(peer.IsListened);
        peer.Break();

        var told = Assert.Single(peer.Closed);
        Assert.Equal((AmqpLevel.Connection, ErrorConditions.ConnectionForced, "maintenance", true), (told.Level, told.Condition, told.Description, told.IsFromPeer));
        Assert.Equal("maintenance", (await Assert.ThrowsAsync<AmqpException>(() => opening)).Description);
        Assert.Equal("maintenance", (await Assert.ThrowsAsync<AmqpException>(() => peer.Connection.OpenSessionAsync(new SessionOptions(), default).AsTask())).Description);
    }

    [Fact]
    public async Task A_socket_that_breaks_is_told_to_all_with_its_reason()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        peer.Break(new IOException("Connection reset by peer"));
        var told = Assert.Single(peer.Closed);
        Assert.Equal("The connection to peer:5672 is lost: Connection reset by peer.", told.Message);
        Assert.Null(told.Condition);
        Assert.Equal(told.Message, session.Failure!.Message);
        await peer.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task Given_up_it_says_nothing_to_the_peer()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        peer.Connection.Abort();
        peer.NothingMore();
        Assert.NotNull(session.Failure);
        Assert.Empty(peer.Closed);
        await Assert.ThrowsAsync<AmqpException>(() => peer.Connection.OpenSessionAsync(new SessionOptions(), default).AsTask());
    }

    [Fact]
    public async Task One_of_no_use_is_given_up_without_a_word_to_the_peer_but_told_to_all()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        peer.Connection.GiveUp("It answers nothing.");
        peer.NothingMore();
        Assert.Equal("It answers nothing.", Assert.Single(peer.Closed).Message);
        Assert.Equal("It answers nothing.", session.Failure!.Message);
        Assert.Equal("It answers nothing.", peer.Connection.Failure!.Message);
    }

    [Fact]
    public async Task What_could_not_be_written_is_the_reason_whatever_the_reader_makes_of_the_hanging_up()
    {
        var (peer, _) = await PeerByHand.BegunAsync();
        peer.Connection.OnWriteFailed(new IOException("Broken pipe"));
        peer.Break(new ObjectDisposedException("socket"));
        Assert.Equal("The connection to peer:5672 is lost: Broken pipe.", Assert.Single(peer.Closed).Message);
    }

    [Theory]
    [MemberData(nameof(Violations))]
    public void What_breaks_the_rules_of_a_connection_closes_it(string what, object performative, ushort channel, string condition)
    {
        var peer = PeerByHand.Opened();
        peer.Say(performative, channel);
        Assert.True(condition == peer.Next<Close>().Error!.Condition.Value, what);
        Assert.Equal(condition, Assert.Single(peer.Closed).Condition!.Value.Value);
        Assert.True(peer.IsListened);
        peer.Break();
        Assert.Single(peer.Closed);
    }

    public static TheoryData<string, object, ushort, string> Violations => new()
    {
        { "a session of its own", new Begin { NextOutgoingId = 0, IncomingWindow = 1, OutgoingWindow = 1 }, 0, "amqp:not-allowed" },
        { "an answer to nothing", new Begin { RemoteChannel = 4, NextOutgoingId = 0, IncomingWindow = 1, OutgoingWindow = 1 }, 0, "amqp:not-allowed" },
        { "a channel too far", new Begin { RemoteChannel = 0, NextOutgoingId = 0, IncomingWindow = 1, OutgoingWindow = 1 }, 1024, "amqp:connection:framing-error" },
        { "a channel without a session", new Detach { Handle = 0 }, 3, "amqp:not-allowed" },
        { "a second open", new Open { ContainerId = "again" }, 0, "amqp:not-allowed" },
    };

    [Fact]
    public void Bytes_that_are_no_frame_close_it()
    {
        var peer = PeerByHand.Opened();
        peer.SayBytes([0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0]);
        var close = peer.Next<Close>();
        Assert.Equal(ErrorConditions.DecodeError, close.Error!.Condition);

        // What follows is anyone's guess, and takes no memory.
        for (var i = 0; i < 100; i++)
            peer.SayBytes(new byte[50_000]);
        Assert.True(peer.IsListened);
        Assert.InRange(peer.Connection.Room().Length, 1, 200_000);
    }

    [Fact]
    public void A_SASL_frame_after_SASL_closes_it()
    {
        var peer = PeerByHand.Opened();
        peer.Say(new SaslOutcome(SaslCode.Ok), type: FrameType.Sasl);
        Assert.Equal(ErrorConditions.FramingError, peer.Next<Close>().Error!.Condition);
    }

    [Fact]
    public async Task Whatever_the_peer_sends_nothing_is_thrown_and_nothing_hangs()
    {
        const int Seed = 20_261_121;
        var random = new Random(Seed);
        for (var run = 0; run < 2_000; run++)
        {
            var link = await Links.ReceiverByHand.OpenAsync(credit: 1000);
            var settling = new List<Task>();
            link.Also = delivery => settling.Add(link.Receiver.SettleAsync(delivery, Accepted.Instance, default).AsTask());
            for (var frame = 0; frame < 20 && link.Peer.IsListened; frame++)
                link.Peer.SayBytes(Mutated(random));
            link.Peer.Break();

            Assert.NotNull(link.Receiver.Failure);
            Assert.True(settling.TrueForAll(task => task.IsCompleted), $"A settlement hangs; seed {Seed}, run {run}.");
        }
    }

    // A frame that might be sent on the link, mostly with a few bytes changed.
    private static byte[] Mutated(Random random)
    {
        using var writer = new AmqpWriter();
        var start = Frame.Begin(writer, FrameType.Amqp, 0);
        var number = (uint)random.Next(4);
        object performative = random.Next(6) switch
        {
            0 or 1 => new Transfer { Handle = Links.ReceiverByHand.Theirs, DeliveryId = number, DeliveryTag = [1], More = random.Next(4) == 0 },
            2 => new Disposition { Role = random.Next(3) == 0 ? Role.Receiver : Role.Sender, First = number, Last = number + 1, Settled = random.Next(2) == 0, State = Accepted.Instance },
            3 => new Flow { NextIncomingId = number, IncomingWindow = 5, NextOutgoingId = number, OutgoingWindow = 5, Handle = Links.ReceiverByHand.Theirs, DeliveryCount = number, LinkCredit = number, Drain = random.Next(2) == 0, Echo = random.Next(2) == 0 },
            4 => new Attach { Name = "in", Handle = number, Role = Role.Sender, InitialDeliveryCount = 0 },
            _ => new Detach { Handle = random.Next(8) == 0 ? Links.ReceiverByHand.Theirs : number },
        };
        AnyPerformative.Encode(performative, writer);
        writer.WriteRaw(new byte[random.Next(20)]);
        Frame.End(writer, start);
        var bytes = writer.ToArray();
        for (var changes = random.Next(3); changes > 0; changes--)
            bytes[random.Next(random.Next(4) == 0 ? 0 : 8, bytes.Length)] = (byte)random.Next(256);
        return bytes;
    }

    [Fact]
    public void A_peer_that_does_not_answer_to_a_close_is_waited_for_no_longer_than_agreed()
    {
        var peer = PeerByHand.Opened();
        peer.Time.Advance(TimeSpan.FromSeconds(20));
        _ = peer.Connection.CloseAsync(default).AsTask();
        Assert.Equal(TimeSpan.FromSeconds(5), peer.Connection.OnTick());
        peer.Time.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(TimeSpan.MaxValue, peer.Connection.OnTick());
    }
}
