using System.Net;
using System.Net.Sockets;
using Holdfast.Amqp;
using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Amqp.Transport;

public sealed class DialTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_timeToOpen = TimeSpan.FromSeconds(15);
    private static readonly IPAddress s_silent = IPAddress.Parse("127.0.0.2");
    private static readonly IPAddress s_closed = IPAddress.Parse("127.0.0.3");

    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly SemaphoreSlim _stalls = new(0);
    private readonly VirtualTime _time = new();
    private Action? _onResolve;
    private int _resumed;

    public DialTests() => _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));

    private int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    public void Dispose()
    {
        _listener.Dispose();
        _stalls.Dispose();
    }

    [Fact]
    public async Task Hanging_up_wakes_one_who_waits_for_something_to_read()
    {
        _listener.Listen();
        var dial = NewDial();
        var stream = dial.Connect();
        var reading = OnItsOwnThread(() => stream.ReadByte());
        await FallsAsleepAsync(reading.Probe);
        dial.HangUp();
        await Assert.ThrowsAnyAsync<Exception>(() => reading.Done.WaitAsync(s_patience));
    }

    [Fact]
    public async Task Hanging_up_wakes_one_who_waits_for_the_connection()
    {
        using var silent = new SilentAddress(IPAddress.Loopback);
        var dial = NewDial(silent.Port, IPAddress.Loopback);
        var connecting = OnItsOwnThread(() => dial.Connect());
        await FallsAsleepAsync(connecting.Probe);
        Assert.Null(_time.UntilNextTimer);
        Assert.False(connecting.Done.IsCompleted);
        dial.HangUp();
        await Assert.ThrowsAnyAsync<Exception>(() => connecting.Done.WaitAsync(s_patience));
    }

    [Fact]
    public void While_a_name_server_is_asked_it_is_that_which_is_waited_for()
    {
        _listener.Listen();
        var dial = NewDial();
        DialStage? asked = null;
        _onResolve = () => asked = dial.Stage;

        using var stream = dial.Connect();

        Assert.Equal(DialStage.Name, asked);
        var late = Lateness.Of(asked, "nothing yet", new() { Host = "peer", OpenTimeout = s_timeToOpen });
        Assert.Equal("No name server has told within 15 s where peer is.", late.Message);
        Assert.Equal(SocketError.TryAgain, Assert.IsType<SocketException>(late.InnerException).SocketErrorCode);
    }

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("::1")]
    public void An_address_is_waited_for_itself_from_the_beginning(string host)
    {
        _listener.Listen();
        var dial = NewDial(host, Port, IPAddress.Loopback);
        DialStage? asked = null;
        _onResolve = () => asked = dial.Stage;

        using var stream = dial.Connect();

        Assert.Equal(DialStage.Connection, asked);
    }

    [Fact]
    public async Task A_silent_address_has_its_share_of_the_time_that_is_left_and_then_the_next_is_tried()
    {
        _listener.Listen();
        using var silent = new SilentAddress(s_silent, Port);
        var dial = NewDial(Port, s_closed, s_silent, IPAddress.Loopback);
        Stream? stream = null;
        var connecting = OnItsOwnThread(() => stream = dial.Connect());
        await HasUntilAsync(s_timeToOpen / 2);
        await FallsAsleepAsync(connecting.Probe);

        _time.Advance(s_timeToOpen / 2);
        using var peer = await _listener.AcceptAsync().WaitAsync(s_patience);
        await connecting.Done.WaitAsync(s_patience);
        Assert.Null(_time.UntilNextTimer);
        stream!.Write([1]);
        Assert.Equal(1, await peer.ReceiveAsync(new byte[1]));
    }

    [Fact]
    public async Task Hanging_up_wakes_one_who_writes_to_a_peer_that_reads_nothing()
    {
        _listener.Listen();
        var dial = NewDial();
        var stream = dial.Connect();
        var writing = OnItsOwnThread(() =>
        {
            while (true)
                stream.Write(new byte[1_000_000]);
        });
        await StalledAsync();
        dial.HangUp();
        await Assert.ThrowsAnyAsync<Exception>(() => writing.Done.WaitAsync(s_patience));
    }

    [Fact]
    public void Hung_up_before_it_began_it_connects_nowhere()
    {
        var dial = NewDial();
        dial.HangUp();
        Assert.Throws<ObjectDisposedException>(() => dial.Connect());
    }

    [Fact]
    public async Task A_write_that_gets_nowhere_says_so_and_when_it_gets_on_and_loses_nothing()
    {
        const int Size = 20_000_000;
        _listener.Listen();
        var stream = NewDial().Connect();
        var sent = new byte[Size];
        Random.Shared.NextBytes(sent);
        var writing = OnItsOwnThread(() => stream.Write(sent));
        using var peer = await _listener.AcceptAsync();
        await StalledAsync();
        await StalledAsync();

        var received = new byte[Size];
        for (var at = 0; at < Size;)
            at += await peer.ReceiveAsync(received.AsMemory(at), SocketFlags.None);
        await writing.Done.WaitAsync(s_patience);
        Assert.True(sent.AsSpan().SequenceEqual(received));
        Assert.NotEqual(0, Volatile.Read(ref _resumed));
    }

    private static (Task<ThreadProbe> Probe, Task Done) OnItsOwnThread(Action action)
    {
        var probe = new TaskCompletionSource<ThreadProbe>(TaskCreationOptions.RunContinuationsAsynchronously);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() =>
        {
            probe.SetResult(new ThreadProbe());
            try
            {
                action();
                done.SetResult();
            }
            catch (Exception problem)
            {
                done.SetException(problem);
            }
        }).Start();
        return (probe.Task, done.Task);
    }

    // Asleep each time it is looked at, so it is not on its way there any more.
    private static async Task FallsAsleepAsync(Task<ThreadProbe> thread)
    {
        const int Enough = 10;
        using var probe = await thread;
        using var patience = new CancellationTokenSource(s_patience);
        for (var asleep = 0; asleep < Enough; asleep = probe.Sample().Activity == ThreadActivity.Sleeping ? asleep + 1 : 0)
            await Task.Delay(TimeSpan.FromMilliseconds(5), patience.Token);
    }

    // It may sleep before that, too: for a lock, or for code that is not compiled yet.
    private async Task HasUntilAsync(TimeSpan left)
    {
        using var patience = new CancellationTokenSource(s_patience);
        while (_time.UntilNextTimer != left && !patience.IsCancellationRequested)
            await Task.Yield();
        Assert.Equal(left, _time.UntilNextTimer);
    }

    private async Task StalledAsync() => Assert.True(await _stalls.WaitAsync(s_patience));

    private Dial NewDial() => NewDial(Port, IPAddress.Loopback);

    private Dial NewDial(int port, params IPAddress[] addresses) => NewDial("peer", port, addresses);

    private Dial NewDial(string host, int port, params IPAddress[] addresses) => new(
        new AmqpConnectionOptions { Host = host, Port = port, OpenTimeout = s_timeToOpen, Time = _time },
        resolve: _ =>
        {
            _onResolve?.Invoke();
            return addresses;
        },
        onControl: () => { },
        onStalled: () => _stalls.Release(),
        onResumed: () => Interlocked.Increment(ref _resumed));
}
