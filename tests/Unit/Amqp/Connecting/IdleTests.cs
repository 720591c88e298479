using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Connecting;

public sealed class IdleTests
{
    [Fact]
    public void A_peer_that_wants_to_hear_of_us_does_so_before_half_of_its_time()
    {
        var peer = PeerByHand.Opened(new Open { ContainerId = "peer", IdleTimeout = 9_000 });
        peer.NothingMore();
        Assert.Equal(TimeSpan.FromSeconds(3), peer.Connection.OnTick());
        peer.NothingMore();

        peer.Time.Advance(TimeSpan.FromSeconds(3));
        peer.Connection.OnTick();
        Assert.True(peer.NextIsBeat());
        Assert.Equal(TimeSpan.FromSeconds(3), peer.Connection.OnTick());
        peer.NothingMore();
    }

    [Fact]
    public void Where_something_was_said_there_is_no_need_for_a_beat()
    {
        var peer = PeerByHand.Opened(new Open { ContainerId = "peer", IdleTimeout = 9_000 });
        peer.Time.Advance(TimeSpan.FromSeconds(2));
        _ = peer.Connection.OpenSessionAsync(new SessionOptions(), default).AsTask();
        peer.Next<Begin>();
        peer.Time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(TimeSpan.FromSeconds(1), peer.Connection.OnTick());
        peer.NothingMore();
    }

    [Fact]
    public void A_peer_that_wants_nothing_hears_nothing()
    {
        foreach (var timeout in (uint?[])[null, 0])
        {
            var peer = PeerByHand.Opened(new Open { ContainerId = "peer", IdleTimeout = timeout });
            peer.Time.Advance(TimeSpan.FromSeconds(59));
            peer.Connection.OnTick();
            peer.NothingMore();
        }
    }

    [Fact]
    public void A_silent_peer_is_given_up_after_a_second_look()
    {
        var peer = PeerByHand.Opened();
        peer.Time.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal(TimeSpan.FromSeconds(1), peer.Connection.OnTick());
        peer.Time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(TimeSpan.FromSeconds(6), peer.Connection.OnTick());
        Assert.False(peer.Connection.HangsUpOnceSent);

        peer.Time.Advance(TimeSpan.FromSeconds(6));
        peer.Connection.OnTick();
        Assert.Equal(ErrorConditions.ResourceLimitExceeded, peer.Next<Close>().Error!.Condition);
        Assert.True(peer.Connection.HangsUpOnceSent);

        peer.Break(new IOException("hung up"));
        var told = Assert.Single(peer.Closed);
        Assert.Equal(ErrorConditions.ResourceLimitExceeded, told.Condition);
        Assert.Contains("silent for 60 s", told.Message);
    }

    [Fact]
    public void Any_byte_is_a_sign_of_life()
    {
        var peer = PeerByHand.Opened();
        peer.Time.Advance(TimeSpan.FromSeconds(60));
        peer.Connection.OnTick();
        peer.SayBytes([0]);
        Assert.Equal(TimeSpan.FromSeconds(60), peer.Connection.OnTick());
        peer.Time.Advance(TimeSpan.FromSeconds(59));
        peer.Connection.OnTick();
        Assert.False(peer.Connection.HangsUpOnceSent);
    }

    [Fact]
    public void Silence_that_is_our_own_counts_against_nobody()
    {
        var time = new Virtual.VirtualTime();
        var idle = new IdleWatch(time, TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(5));
        time.Advance(TimeSpan.FromSeconds(100));
        Assert.False(idle.IsPeerGone(inVain: false));
        Assert.False(idle.IsPeerGone(inVain: true));
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(idle.IsPeerGone(inVain: true));
    }

    [Fact]
    public void Who_has_patience_without_end_gives_nobody_up()
    {
        var peer = new PeerByHand((time, closed) => new() { Host = "peer", Time = time, OnClosed = closed, IdleTimeout = TimeSpan.Zero });
        peer.NextHeader();
        Assert.Null(peer.Next<Open>().IdleTimeout);
        peer.Say(ProtocolHeader.Of(ProtocolId.Amqp));
        peer.Say(new Open { ContainerId = "peer" });
        peer.Time.Advance(TimeSpan.FromDays(1));
        Assert.Equal(TimeSpan.MaxValue, peer.Connection.OnTick());
    }
}
