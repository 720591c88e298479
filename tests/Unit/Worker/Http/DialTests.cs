using System.Net;
using System.Net.Sockets;
using Holdfast.Virtual;
using Holdfast.Worker.Http;

namespace Holdfast.Tests.Unit.Worker.Http;

public sealed class DialTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(15);
    private static readonly IPAddress s_silent = IPAddress.Parse("127.0.0.4");
    private static readonly IPAddress s_closed = IPAddress.Parse("127.0.0.5");

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly VirtualTime _time = new();

    public DialTests() => _listener.Start();

    private int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public void Dispose() => _listener.Dispose();

    [Fact]
    public async Task A_silent_address_has_its_share_of_the_time_that_is_left_and_then_the_next_is_tried()
    {
        using var silent = new SilentAddress(s_silent, Port);
        var connecting = ConnectAsync(Port, [s_silent, IPAddress.Loopback], toResolve: s_longest / 3);
        Assert.Equal(s_longest / 3, _time.UntilNextTimer);

        _time.Advance(s_longest / 3);
        await using var stream = await connecting.WaitAsync(s_patience);
        Assert.Equal(new IPEndPoint(IPAddress.Loopback, Port), Assert.IsType<NetworkStream>(stream).Socket.RemoteEndPoint);
        Assert.Null(_time.UntilNextTimer);
    }

    [Fact]
    public async Task An_address_that_refuses_costs_those_behind_it_nothing()
    {
        await using var stream = await ConnectAsync(Port, [s_closed, IPAddress.Loopback]).WaitAsync(s_patience);
        Assert.Equal(TimeSpan.Zero, _time.Elapsed);
    }

    [Fact]
    public async Task A_peer_that_acknowledges_nothing_any_more_is_given_up_after_a_minute()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux can be told so.");
        await using var stream = await ConnectAsync(Port, [IPAddress.Loopback]).WaitAsync(s_patience);

        var milliseconds = new byte[sizeof(int)];
        Assert.IsType<NetworkStream>(stream).Socket.GetRawSocketOption((int)SocketOptionLevel.Tcp, 18, milliseconds);
        Assert.Equal(60_000, BitConverter.ToInt32(milliseconds));
    }

    [Fact]
    public async Task What_the_last_one_says_is_told()
    {
        var refused = await Assert.ThrowsAsync<SocketException>(() => ConnectAsync(Port, [s_closed, s_closed]).WaitAsync(s_patience));
        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
        var nowhere = await Assert.ThrowsAsync<SocketException>(() => ConnectAsync(Port, []).WaitAsync(s_patience));
        Assert.Equal(SocketError.HostNotFound, nowhere.SocketErrorCode);
    }

    [Fact]
    public async Task Who_calls_it_off_waits_for_no_other_address()
    {
        using var silent = new SilentAddress(s_silent);
        using var cancel = new CancellationTokenSource();
        var connecting = ConnectAsync(silent.Port, [s_silent, s_silent], cancel: cancel.Token);
        Assert.False(connecting.IsCompleted);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => connecting.WaitAsync(s_patience));
        Assert.Null(_time.UntilNextTimer);
    }

    private Task<Stream> ConnectAsync(int port, IPAddress[] addresses, TimeSpan toResolve = default, CancellationToken cancel = default)
    {
        var dial = new Dial(Resolve, s_longest, _time);
        return dial.ConnectAsync(new DnsEndPoint("shop", port), cancel).AsTask();

        Task<IPAddress[]> Resolve(string name, CancellationToken cancel)
        {
            _time.Advance(toResolve);
            return Task.FromResult(addresses);
        }
    }
}
