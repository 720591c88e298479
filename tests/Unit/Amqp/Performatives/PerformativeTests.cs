using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class PerformativeTests
{
    [Fact]
    public void Each_performative_is_written_as_the_specification_lays_it_out()
    {
        Laid("00 53 10 c0 14 05 a1 01 'c' a1 01 'h' 70 00010000 60 00ff 70 0000ea60", new Open
        {
            ContainerId = "c",
            Hostname = "h",
            MaxFrameSize = 65_536,
            ChannelMax = 255,
            IdleTimeout = 60_000,
        });
        Laid("00 53 11 c0 0c 04 60 0003 43 52 c8 70 ffffffff", new Begin
        {
            RemoteChannel = 3,
            NextOutgoingId = 0,
            IncomingWindow = 200,
            OutgoingWindow = uint.MaxValue,
        });
        Laid(
            "00 53 12 c0 2d 0e a1 01 'l' 52 02 41 50 00 50 01 00 53 28 c0 04 01 a1 01 'q' 00 53 29 45 40 40 43 53 64 e0 04 01 a3 01 'o' 40 c1 07 02 a3 01 'k' a1 01 'v'",
            new Attach
            {
                Name = "l",
                Handle = 2,
                Role = Role.Receiver,
                SenderSettleMode = SenderSettleMode.Unsettled,
                ReceiverSettleMode = ReceiverSettleMode.Second,
                Source = new Source { Address = "q" },
                Target = new Target(),
                InitialDeliveryCount = 0,
                MaxMessageSize = 100,
                OfferedCapabilities = ["o"],
                Properties = new() { ["k"] = "v" },
            });
        Laid("00 53 13 c0 0e 09 43 52 0a 43 52 0a 52 01 43 52 64 40 41", new Flow
        {
            NextIncomingId = 0,
            IncomingWindow = 10,
            NextOutgoingId = 0,
            OutgoingWindow = 10,
            Handle = 1,
            DeliveryCount = 0,
            LinkCredit = 100,
            Drain = true,
        });
        Laid("00 53 14 c0 0b 06 52 01 43 a0 02 abcd 43 42 41", new Transfer
        {
            Handle = 1,
            DeliveryId = 0,
            DeliveryTag = [0xab, 0xcd],
            MessageFormat = 0,
            Settled = false,
            More = true,
        });
        Laid("00 53 15 c0 0b 05 41 52 05 52 07 41 00 53 24 45", new Disposition
        {
            Role = Role.Receiver,
            First = 5,
            Last = 7,
            Settled = true,
            State = Accepted.Instance,
        });
        Laid("00 53 16 c0 11 03 43 41 00 53 1d c0 09 02 a3 01 'e' a1 03 'why'", new Detach
        {
            Handle = 0,
            Closed = true,
            Error = new AmqpError("e", "why"),
        });
        Laid("00 53 17 45", new End());
        Laid("00 53 18 c0 0a 01 00 53 1d c0 04 01 a3 01 'e'", new Close(new AmqpError("e")));
    }

    [Fact]
    public void So_is_each_state_of_a_delivery()
    {
        State("00 53 24 45", Accepted.Instance);
        State("00 53 26 45", Released.Instance);
        State("00 53 25 45", new Rejected());
        State("00 53 25 c0 14 01 00 53 1d c0 0e 03 a3 01 'e' 40 c1 07 02 a3 01 'k' a1 01 'v'", new Rejected(new AmqpError("e", Info: new() { ["k"] = "v" })));
        State("00 53 27 45", new Modified());
        State("00 53 27 c0 03 02 40 41", new Modified(UndeliverableHere: true));
        State("00 53 27 c0 0a 03 41 40 c1 05 02 a3 01 'k' 43", new Modified(DeliveryFailed: true, MessageAnnotations: new() { ["k"] = 0u }));
        State("00 53 23 c0 05 02 52 01 53 02", new Received(1, 2));
        State("00 53 34 c0 04 01 a0 01 07", new UnknownState(new Described(0x34ul, new object?[] { new byte[] { 7 } })));
    }

    [Fact]
    public void So_is_each_frame_of_SASL()
    {
        Laid("00 53 40 c0 0f 01 e0 0c 01 a3 09 'ANONYMOUS'", new SaslMechanisms(["ANONYMOUS"]));
        Laid("00 53 41 c0 0f 03 a3 05 'PLAIN' a0 02 0061 a1 01 'h'", new SaslInit("PLAIN", [0, 0x61], "h"));
        Laid("00 53 42 c0 04 01 a0 01 01", new SaslChallenge([1]));
        Laid("00 53 44 c0 03 01 50 01", new SaslOutcome(SaslCode.NotAuthenticated));
    }

    [Fact]
    public void Fields_that_are_null_or_left_out_have_the_defaults_of_the_specification()
    {
        Read("00 53 10 c0 04 01 a1 01 'c'", new Open { ContainerId = "c", MaxFrameSize = uint.MaxValue, ChannelMax = ushort.MaxValue });
        Read("00 53 10 c0 0d 0a a1 01 'c' 40 40 40 40 40 40 40 40 40", new Open { ContainerId = "c" });
        Read("00 53 12 c0 06 03 a1 01 'l' 43 42", new Attach
        {
            Name = "l",
            Handle = 0,
            Role = Role.Sender,
            SenderSettleMode = SenderSettleMode.Mixed,
            ReceiverSettleMode = ReceiverSettleMode.First,
        });
        Read("00 53 14 c0 02 01 43", new Transfer { Handle = 0, Settled = null });
    }

    [Fact]
    public void Descriptors_may_be_names_and_lists_may_be_longer_than_they_need_to_be()
    {
        Read("00 a3 0e 'amqp:open:list' d0 00000007 00000001 a1 01 'c'", new Open { ContainerId = "c" });
        Read("00 80 0000000000000018 d0 00000004 00000000", new Close());
        Read("00 53 15 c0 1b 05 41 43 40 41 00 a3 12 'amqp:accepted:list' 45", new Disposition
        {
            Role = Role.Receiver,
            First = 0,
            Settled = true,
            State = Accepted.Instance,
        });
    }

    [Fact]
    public void Fields_that_no_version_of_ours_knows_are_passed_over() =>
        Read("00 53 17 c0 08 03 40 a1 01 'x' c0 01 00", new End());

    [Theory]
    [InlineData("00 53 10 45", "open: no container-id")]
    [InlineData("00 53 10 c0 02 01 40", "open: no container-id")]
    [InlineData("00 53 11 45", "begin: no next-outgoing-id")]
    [InlineData("00 53 11 c0 03 02 40 43", "begin: no incoming-window")]
    [InlineData("00 53 11 c0 04 03 40 43 43", "begin: no outgoing-window")]
    [InlineData("00 53 12 45", "attach: no name")]
    [InlineData("00 53 12 c0 04 01 a1 01 'l'", "attach: no handle")]
    [InlineData("00 53 12 c0 05 02 a1 01 'l' 43", "attach: no role")]
    [InlineData("00 53 12 c0 08 04 a1 01 'l' 43 41 50 03", "settle mode 3")]
    [InlineData("00 53 12 c0 09 05 a1 01 'l' 43 41 40 50 02", "settle mode 2")]
    [InlineData("00 53 12 c0 0d 07 a1 01 'l' 43 41 40 40 40 00 53 28 45", "target")]
    [InlineData("00 53 12 c0 0c 06 a1 01 'l' 43 41 40 40 00 53 29 45", "a source is expected")]
    [InlineData("00 53 13 45", "flow: no incoming-window")]
    [InlineData("00 53 13 c0 03 02 40 43", "flow: no next-outgoing-id")]
    [InlineData("00 53 13 c0 04 03 40 43 43", "flow: no outgoing-window")]
    [InlineData("00 53 14 45", "transfer: no handle")]
    [InlineData("00 53 14 c0 26 03 43 43 a0 21 000000000000000000000000000000000000000000000000000000000000000000", "33 bytes where 32 is the most")]
    [InlineData("00 53 15 45", "disposition: no role")]
    [InlineData("00 53 15 c0 02 01 41", "disposition: no first")]
    [InlineData("00 53 15 c0 06 05 41 43 40 40 43", "a described value is expected")]
    [InlineData("00 53 16 45", "detach: no handle")]
    [InlineData("00 53 17 c0 05 01 00 53 1d 45", "error: no condition")]
    [InlineData("00 53 17 c0 05 01 00 53 24 45", "an error is expected")]
    [InlineData("00 53 15 c0 09 05 41 43 40 40 00 53 23 45", "received: no section-number")]
    [InlineData("00 53 40 45", "sasl-mechanisms: no sasl-server-mechanisms")]
    [InlineData("00 53 41 45", "sasl-init: no mechanism")]
    [InlineData("00 53 42 45", "sasl-challenge: no challenge")]
    [InlineData("00 53 44 45", "sasl-outcome: no code")]
    [InlineData("00 53 17 c0 03 01 40 40", "end: 1 bytes too many")]
    [InlineData("00 53 17 c1 01 00", "a list is expected")]
    [InlineData("53 17 45", "a described value is expected")]
    public void A_performative_that_lacks_what_it_must_have_is_refused_by_the_field_s_name(string bytes, string why)
    {
        var refusal = Assert.Throws<AmqpDecodeException>(() => Decode(bytes));

        Assert.Contains(why, refusal.Message, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public void The_frames_of_the_hot_path_leave_nothing_to_the_garbage_collector()
    {
        using var writer = new AmqpWriter();
        byte[] tag = [1, 2, 3];
        Disposition disposition = new() { Role = Role.Receiver, First = 70_000, Last = 70_009, Settled = true, State = Accepted.Instance };
        Flow flow = new() { NextIncomingId = 5, IncomingWindow = 2048, NextOutgoingId = 9, OutgoingWindow = 2048, Handle = 0, LinkCredit = 100 };
        Transfer transfer = new() { Handle = 0, DeliveryId = 70_000, DeliveryTag = tag, MessageFormat = 0, Settled = false };

        // The delivery's tag, which is its receiver's to keep.
        Assert.InRange(Allocated.By(Pass), 0, 32);

        void Pass()
        {
            writer.Reset();
            disposition.Encode(writer);
            flow.Encode(writer);
            transfer.Encode(writer);
            var reader = new AmqpReader(writer.Written);
            reader.ReadDescriptor();
            Disposition.Decode(ref reader);
            reader.ReadDescriptor();
            Flow.Decode(ref reader);
            reader.ReadDescriptor();
            Transfer.Decode(ref reader);
        }
    }

    private static void Laid(string bytes, object performative)
    {
        Assert.Equal(Wire.Hex(Wire.Bytes(bytes)), Wire.Written(writer => AnyPerformative.Encode(performative, writer)));
        Read(bytes, performative);
    }

    private static void State(string bytes, DeliveryState state)
    {
        Assert.Equal(Wire.Hex(Wire.Bytes(bytes)), Wire.Written(state.Encode));
        var reader = new AmqpReader(Wire.Bytes(bytes));
        Assert.Equal(Shown.Of(state), Shown.Of(DeliveryState.Decode(ref reader)));
        Assert.True(reader.IsAtEnd);
    }

    private static void Read(string bytes, object performative) => Assert.Equal(Shown.Of(performative), Shown.Of(Decode(bytes)));

    private static object Decode(string bytes)
    {
        var reader = new AmqpReader(Wire.Bytes(bytes));
        var performative = AnyPerformative.Decode(ref reader);
        Assert.True(reader.IsAtEnd, "it stopped before the end");
        return performative;
    }
}
