using System.Net.Sockets;

namespace Holdfast.Amqp;

/// <summary>
/// A socket that blocks whoever reads or writes. A write that gets nowhere says so again and again, so that the writer, who keeps the time, is not
/// the one to lose it; and it says when it gets on. One thread reads, another writes.
/// </summary>
internal sealed class SocketStream(Socket socket, Action onStalled, Action onResumed) : DuplexStream
{
    // A send that times out does not tell how much it has sent. So none is begun before there is room, or is larger than the room
    // that there is at least: on Linux a third of the smallest buffer that the system gives to a connection, on macOS two kilobytes.
    private static readonly int s_piece = OperatingSystem.IsMacOS() ? 2 * 1024 : 16 * 1024;

    private static readonly TimeSpan s_stallTime = TimeSpan.FromMilliseconds(250);

    public override int Read(Span<byte> buffer) => socket.Receive(buffer, SocketFlags.None);

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        while (!buffer.IsEmpty)
        {
            AwaitRoom();
            buffer = buffer[socket.Send(buffer[..Math.Min(buffer.Length, s_piece)], SocketFlags.None)..];
        }
    }

    private void AwaitRoom()
    {
        var hasStalled = false;
        for (; !socket.Poll(s_stallTime, SelectMode.SelectWrite); hasStalled = true)
            onStalled();
        if (hasStalled)
            onResumed();
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            socket.Dispose();
        base.Dispose(disposing);
    }
}
