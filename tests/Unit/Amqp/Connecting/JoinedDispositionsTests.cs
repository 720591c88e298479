using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class JoinedDispositionsTests : IDisposable
{
    private readonly Outgoing _outgoing = new();

    public void Dispose() => _outgoing.Dispose();

    [Fact]
    public void Neighbours_that_are_told_alike_are_told_by_one_frame()
    {
        Tell(0, 0);
        Tell(0, 1);

        Assert.Equal(1, Frames());
    }

    [Theory]
    [InlineData(1, Role.Receiver, true, true)]
    [InlineData(0, Role.Sender, true, true)]
    [InlineData(0, Role.Receiver, false, true)]
    [InlineData(0, Role.Receiver, true, false)]
    public void What_is_told_of_another_session_or_direction_or_otherwise_has_a_frame_of_its_own(ushort channel, Role role, bool settled, bool isAccepted)
    {
        Tell(0, 0);
        Tell(channel, 1, role, settled, isAccepted ? Accepted.Instance : Released.Instance);

        Assert.Equal(2, Frames());
    }

    [Fact]
    public void What_ends_where_the_last_one_did_that_has_left_is_no_neighbour()
    {
        Tell(0, 0);
        var size = _outgoing.Take().Length;
        using (_outgoing.Begin(0, out var writer))
            writer.WriteRaw(new byte[size - FrameHeader.Length]);

        Tell(0, 1);

        Assert.Equal(2, Frames());
    }

    private void Tell(ushort channel, uint id, Role role = Role.Receiver, bool settled = true, DeliveryState? state = null) =>
        _outgoing.Disposition(channel, role, id, settled, state ?? Accepted.Instance);

    private int Frames()
    {
        var count = 0;
        for (var left = _outgoing.Take(); !left.IsEmpty; count++)
            left = left[FrameHeader.Read(left, uint.MaxValue).Size..];
        return count;
    }
}
