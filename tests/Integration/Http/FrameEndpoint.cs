using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Holdfast.Tests.Integration.Http;

/// <summary>An endpoint that speaks HTTP/2 frame by frame, as each test tells it. Every connection is greeted, and then given to the test's script.</summary>
internal sealed class FrameEndpoint : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    /// <param name="act">What is done with each connection, the first of which is number 1.</param>
    /// <param name="window">How much of each body it takes unasked.</param>
    public FrameEndpoint(Func<FrameConnection, int, Task> act, int window = 65_535)
    {
        _listener.Start();
        _ = ServeAsync(act, window);
    }

    public string Url => $"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}";

    public int Connections { get; private set; }

    public void Dispose() => _listener.Dispose();

    private async Task ServeAsync(Func<FrameConnection, int, Task> act, int window)
    {
        while (true)
            _ = ServeAsync(await _listener.AcceptTcpClientAsync(), act, window, ++Connections);
    }

    private static async Task ServeAsync(TcpClient client, Func<FrameConnection, int, Task> act, int window, int number)
    {
        using var _ = client;
        var stream = client.GetStream();
        var connection = new FrameConnection(stream);
        await connection.GreetAsync(window);
        await act(connection, number);

        // Closed with something unread, it would be reset, and what was sent last might never be heard.
        client.Client.Shutdown(SocketShutdown.Send);
        await stream.CopyToAsync(Stream.Null);
    }
}

/// <summary>Kinds of frames (RFC 9113, 6), of which a test sends or awaits some.</summary>
internal enum FrameKind : byte
{
    Headers = 1,
    Reset = 3,
    Settings = 4,
    Ping = 6,
    GoAway = 7,
}

internal readonly record struct Frame(FrameKind Kind, byte Flags, int Stream, byte[] Payload);

/// <summary>The endpoint's side of a connection.</summary>
internal sealed class FrameConnection(NetworkStream stream)
{
    private const int RefusedStream = 7;
    private const int LengthOfPreface = 24;
    private const int LengthOfHeader = 9;
    private const byte InitialWindowSize = 4;
    private const byte EndStream = 1;
    private const byte EndHeaders = 4;
    private const byte Acknowledges = 1;

    // HPACK's static table has it as its eighth entry.
    private static readonly byte[] s_status200 = [0x88];

    public async Task GreetAsync(int window)
    {
        await stream.ReadExactlyAsync(new byte[LengthOfPreface]);
        await SendAsync(FrameKind.Settings, flags: 0, onStream: 0, [0, InitialWindowSize, .. Number(window)]);
    }

    /// <summary>The next request's stream.</summary>
    public async Task<int> RequestAsync() => (await NextAsync(frame => frame.Kind == FrameKind.Headers)).Stream;

    /// <summary>The next frame that is wanted; settings and pings before it are acknowledged, and all else is skipped.</summary>
    public async Task<Frame> NextAsync(Func<Frame, bool> isWanted)
    {
        while (true)
        {
            var frame = await ReadAsync();
            if (isWanted(frame))
                return frame;

            if (frame is { Kind: FrameKind.Settings or FrameKind.Ping, Flags: 0 })
                await SendAsync(frame.Kind, Acknowledges, onStream: 0, frame.Kind == FrameKind.Ping ? frame.Payload : []);
        }
    }

    public Task AnswerAsync(int onStream) => SendAsync(FrameKind.Headers, EndHeaders | EndStream, onStream, s_status200);

    /// <summary>Says of a request that nothing was done with it.</summary>
    public Task RefuseAsync(int onStream) => SendAsync(FrameKind.Reset, flags: 0, onStream, Number(RefusedStream));

    /// <summary>Says, for no error, which request is the last that is answered.</summary>
    public Task GoAwayAsync(int lastStream) => SendAsync(FrameKind.GoAway, flags: 0, onStream: 0, [.. Number(lastStream), .. Number(0)]);

    private Task SendAsync(FrameKind kind, byte flags, int onStream, byte[] payload) =>
        stream.WriteAsync((byte[])[.. Number(payload.Length)[1..], (byte)kind, flags, .. Number(onStream), .. payload]).AsTask();

    private async Task<Frame> ReadAsync()
    {
        var header = new byte[LengthOfHeader];
        await stream.ReadExactlyAsync(header);
        var payload = new byte[BinaryPrimitives.ReadInt32BigEndian(header) >> 8];
        await stream.ReadExactlyAsync(payload);
        return new((FrameKind)header[3], header[4], BinaryPrimitives.ReadInt32BigEndian(header.AsSpan(5)), payload);
    }

    private static byte[] Number(int number)
    {
        var bytes = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(bytes, number);
        return bytes;
    }
}
