using System.Text;
using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Connecting;

public sealed class HandshakeTests
{
    private static readonly ProtocolHeader s_amqp = ProtocolHeader.Of(ProtocolId.Amqp);
    private static readonly ProtocolHeader s_sasl = ProtocolHeader.Of(ProtocolId.Sasl);

    [Fact]
    public async Task Without_SASL_the_open_frame_follows_the_header_at_once()
    {
        var peer = new PeerByHand();
        Assert.Equal(s_amqp, peer.NextHeader());
        var open = peer.Next<Open>();
        Assert.Equal(("us", "peer", 65_536u, (ushort)1023, 30_000u), (open.ContainerId, open.Hostname, open.MaxFrameSize, open.ChannelMax, open.IdleTimeout));
        peer.NothingMore();

        peer.Say(s_amqp);
        Assert.False(peer.Opening.IsCompleted);
        peer.Say(new Open { ContainerId = "them" });
        Assert.Null((await peer.Opening).Failure);
    }

    [Fact]
    public async Task The_first_mechanism_of_ours_that_the_peer_has_is_used()
    {
        var peer = WithSasl(SaslMechanism.External, SaslMechanism.Plain("me", "secret"), SaslMechanism.Anonymous);
        Assert.Equal(s_sasl, peer.NextHeader());
        peer.NothingMore();

        peer.Say(s_sasl);
        peer.Say(new SaslMechanisms(["ANONYMOUS", "PLAIN"]), type: FrameType.Sasl);
        var init = peer.Next<SaslInit>();
        Assert.Equal("PLAIN", init.Mechanism.Value);
        Assert.Equal("\0me\0secret", Encoding.UTF8.GetString(init.InitialResponse!));
        Assert.Equal("peer", init.Hostname);

        peer.Say(new SaslOutcome(SaslCode.Ok), type: FrameType.Sasl);
        Assert.Equal(s_amqp, peer.NextHeader());
        peer.Next<Open>();
        peer.Say(s_amqp);
        peer.Say(new Open { ContainerId = "them" });
        await peer.Opening;
    }

    [Fact]
    public async Task A_mechanism_of_ones_own_sends_an_empty_response()
    {
        var peer = WithSasl(new SaslMechanism("MSSBCBS"));
        peer.NextHeader();
        peer.Say(s_sasl);
        peer.Say(new SaslMechanisms(["MSSBCBS"]), type: FrameType.Sasl);
        Assert.Empty(peer.Next<SaslInit>().InitialResponse!);
        peer.Break();
        await Assert.ThrowsAsync<AmqpException>(async () => await peer.Opening);
    }

    [Fact]
    public async Task Mechanisms_that_have_nothing_in_common_are_both_named()
    {
        var peer = WithSasl(SaslMechanism.External, SaslMechanism.Plain("me", "secret"));
        peer.Say(s_sasl);
        peer.Say(new SaslMechanisms(["GSSAPI", "SCRAM-SHA-1"]), type: FrameType.Sasl);
        var refused = await RefusedAsync(peer, ErrorConditions.UnauthorizedAccess, "GSSAPI, SCRAM-SHA-1");
        Assert.Contains("EXTERNAL, PLAIN", refused.Message);
        Assert.DoesNotContain("secret", refused.ToString());
    }

    [Fact]
    public async Task Who_is_not_let_in_is_told_so()
    {
        var peer = WithSasl(SaslMechanism.Plain("me", "wrong"));
        peer.Say(s_sasl);
        peer.Say(new SaslMechanisms(["PLAIN"]), type: FrameType.Sasl);
        peer.Say(new SaslOutcome(SaslCode.NotAuthenticated), type: FrameType.Sasl);
        Assert.DoesNotContain("wrong", (await RefusedAsync(peer, ErrorConditions.UnauthorizedAccess, "does not let us in")).ToString());
    }

    [Fact]
    public async Task A_challenge_is_more_than_we_have_an_answer_to()
    {
        var peer = WithSasl(SaslMechanism.Anonymous);
        peer.Say(s_sasl);
        peer.Say(new SaslMechanisms(["ANONYMOUS"]), type: FrameType.Sasl);
        peer.Say(new SaslChallenge([1, 2]), type: FrameType.Sasl);
        await RefusedAsync(peer, ErrorConditions.UnauthorizedAccess, "initial response");
    }

    [Fact]
    public async Task A_peer_that_insists_on_SASL_is_told_from_one_that_speaks_another_AMQP()
    {
        var insisting = new PeerByHand();
        insisting.Say(s_sasl);
        await RefusedAsync(insisting, ErrorConditions.FramingError, "lets nobody in without SASL");

        var old = new PeerByHand();
        old.Say(new ProtocolHeader(0, 0, 9, 1));
        await RefusedAsync(old, ErrorConditions.FramingError, "it speaks AMQP 0-9-1");
    }

    [Fact]
    public async Task A_peer_that_speaks_something_else_is_refused()
    {
        var peer = new PeerByHand();
        peer.SayBytes("HTTP/1.1 400 Bad Request\r\n\r\n"u8);
        await RefusedAsync(peer, ErrorConditions.DecodeError, "does not speak AMQP");
    }

    [Fact]
    public async Task A_peer_that_closes_instead_of_opening_says_why()
    {
        var peer = new PeerByHand();
        peer.Say(s_amqp);
        peer.Say(new Close(new AmqpError(ErrorConditions.NotFound, "no such host")));
        Assert.True((await RefusedAsync(peer, ErrorConditions.NotFound, "no such host")).IsFromPeer);
    }

    [Fact]
    public async Task Demands_that_nobody_can_meet_are_refused()
    {
        var tiny = new PeerByHand();
        tiny.Say(s_amqp);
        tiny.Say(new Open { ContainerId = "them", MaxFrameSize = 511 });
        await RefusedAsync(tiny, ErrorConditions.InvalidField, "511");

        var hasty = new PeerByHand();
        hasty.Say(s_amqp);
        hasty.Say(new Open { ContainerId = "them", IdleTimeout = 5 });
        await RefusedAsync(hasty, ErrorConditions.NotAllowed, "5 ms");
    }

    [Fact]
    public void A_peer_may_say_its_header_and_open_in_one_breath()
    {
        var peer = new PeerByHand();
        using var writer = new AmqpWriter();
        s_amqp.Write(writer);
        var start = Frame.Begin(writer, FrameType.Amqp, 0);
        new Open { ContainerId = "them" }.Encode(writer);
        Frame.End(writer, start);
        peer.SayBytes(writer.Written);
        Assert.True(peer.Opening.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_sign_of_life_from_a_peer_that_takes_its_time_to_open_is_no_offence()
    {
        var peer = new PeerByHand();
        peer.Say(s_amqp);
        peer.SayBytes([0, 0, 0, 8, 2, (byte)FrameType.Amqp, 0, 0]);
        peer.Say(new Open { ContainerId = "them" });
        Assert.True(peer.Opening.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task An_empty_frame_of_SASL_is_no_sign_of_life()
    {
        var peer = WithSasl(SaslMechanism.Anonymous);
        peer.Say(s_sasl);
        peer.SayBytes([0, 0, 0, 8, 2, (byte)FrameType.Sasl, 0, 0]);
        await RefusedAsync(peer, ErrorConditions.DecodeError, "can't be read");
    }

    [Fact]
    public async Task A_session_before_the_open_frame_is_refused()
    {
        var peer = new PeerByHand();
        peer.Say(s_amqp);
        peer.Say(new Begin { NextOutgoingId = 0, IncomingWindow = 1, OutgoingWindow = 1 });
        await RefusedAsync(peer, ErrorConditions.NotAllowed, "instead of the peer's open frame");
    }

    [Fact]
    public async Task What_the_peer_still_owes_is_named_when_the_time_is_up()
    {
        var peer = WithSasl(SaslMechanism.Anonymous);
        peer.Say(s_sasl);
        Assert.Equal(TimeSpan.FromSeconds(30), peer.Connection.OnTick());
        peer.Time.Advance(TimeSpan.FromSeconds(30));
        peer.Connection.OnTick();
        var late = await Assert.ThrowsAsync<AmqpException>(async () => await peer.Opening);
        Assert.Equal("peer:5672 did not open a connection within 30 s: it still owes the peer's SASL mechanisms.", late.Message);
    }

    [Fact]
    public async Task An_opening_that_is_called_off_is_over()
    {
        var peer = new PeerByHand();
        using var cancel = new CancellationTokenSource();
        var connection = new AmqpConnection(PeerByHand.Plain(peer.Time, _ => Assert.Fail("Nobody was to be told.")));
        var opening = connection.Opened(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await opening);
        Assert.NotNull(connection.Failure);
    }

    private static PeerByHand WithSasl(params SaslMechanism[] mechanisms) =>
        new((time, closed) => new() { Host = "peer", Time = time, Sasl = mechanisms, OnClosed = closed });

    private static async Task<AmqpException> RefusedAsync(PeerByHand peer, Symbol condition, string why)
    {
        Assert.False(peer.IsListened);
        var refused = await Assert.ThrowsAsync<AmqpException>(async () => await peer.Opening);
        Assert.Equal((AmqpLevel.Connection, condition), (refused.Level, refused.Condition));
        Assert.Contains(why, refused.Message);
        Assert.Empty(peer.Closed);
        return refused;
    }
}
