using System.Net;
using System.Net.Sockets;
using Holdfast.Amqp;
using Holdfast.Tests.Servers;

namespace Holdfast.Tests.Unit.Amqp.Transport;

public sealed class WireTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    // Of the real clock, for the connection's own threads sleep by it: long enough for a busy machine to come as far as the silence.
    private static readonly TimeSpan s_timeToOpen = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task A_port_that_nobody_listens_on_says_so_every_time()
    {
        using var closed = new ClosedPort();
        for (var i = 0; i < 200; i++)
        {
            var refused = await Assert.ThrowsAsync<AmqpException>(() => AmqpConnection.OpenAsync(Options(closed.Number), default).AsTask().WaitAsync(s_patience));
            Assert.StartsWith($"127.0.0.1:{closed.Number} can't be connected to: ", refused.Message);
        }
    }

    [Fact]
    public async Task A_peer_that_says_nothing_is_waited_for_no_longer_than_agreed()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        var options = Options(((IPEndPoint)silent.LocalEndpoint).Port, s_timeToOpen);
        Assert.EndsWith("within 1 s: it still owes the peer's protocol header.", (await LateAsync(options)).Message);
    }

    [Fact]
    public async Task That_nothing_answers_at_its_address_is_told_as_that()
    {
        using var silent = new SilentAddress(IPAddress.Loopback);
        var late = await LateAsync(Options(silent.Port, s_timeToOpen));
        Assert.Equal($"Nothing answers at 127.0.0.1:{silent.Port} within 1 s.", late.Message);
        Assert.Equal(SocketError.TimedOut, Assert.IsType<SocketException>(late.InnerException).SocketErrorCode);
    }

    [Theory]
    [InlineData(true, "its part of TLS.")]
    [InlineData(false, "its answer to who asks for a WebSocket.")]
    public async Task What_the_stream_waits_for_is_named_too(bool isTls, string owed)
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        var late = await LateAsync(new()
        {
            Host = "127.0.0.1",
            Port = ((IPEndPoint)silent.LocalEndpoint).Port,
            OpenTimeout = s_timeToOpen,
            Tls = isTls ? new() : null,
            WebSocket = isTls ? null : new(),
        });
        Assert.EndsWith($"within 1 s: it still owes {owed}", late.Message);
    }

    [Fact]
    public async Task An_opening_that_is_called_off_leaves_nothing_behind()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        using var cancel = new CancellationTokenSource();
        var opening = AmqpConnection.OpenAsync(Options(((IPEndPoint)silent.LocalEndpoint).Port), cancel.Token).AsTask();
        using var peer = await silent.AcceptSocketAsync();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => opening);

        // Nothing more comes from a socket that is closed.
        var rest = new byte[1000];
        using var patience = new CancellationTokenSource(s_patience);
        try
        {
            while (await peer.ReceiveAsync(rest, SocketFlags.None, patience.Token) > 0)
            {
            }
        }
        catch (SocketException)
        {
            // It was closed with a reset.
        }
    }

    private static Task<AmqpException> LateAsync(AmqpConnectionOptions options) =>
        Assert.ThrowsAsync<AmqpException>(() => AmqpConnection.OpenAsync(options, default).AsTask().WaitAsync(s_patience));

    private static AmqpConnectionOptions Options(int port, TimeSpan? openTimeout = null) =>
        new() { Host = "127.0.0.1", Port = port, OpenTimeout = openTimeout ?? TimeSpan.FromMinutes(5) };
}
