using System.Net;
using System.Net.Sockets;
using Holdfast.Amqp;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Amqp.Transport;

public sealed class DialTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly List<Socket> _others = [];
    private readonly SemaphoreSlim _stalls = new(0);
    private int _resumed;

    public DialTests() => _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));

    public void Dispose()
    {
        _listener.Dispose();
        _others.ForEach(other => other.Dispose());
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
        // A listener that accepts nobody, and has no place for any more who wait.
        _listener.Listen(0);
        for (var i = 0; i < 4; i++)
        {
            var other = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { Blocking = false };
            _others.Add(other);
            Assert.ThrowsAny<SocketException>(() => other.Connect(_listener.LocalEndPoint!));
        }

        var dial = NewDial();
        var connecting = OnItsOwnThread(() => dial.Connect());
        await FallsAsleepAsync(connecting.Probe);
        Assert.False(connecting.Done.IsCompleted);
        dial.HangUp();
        await Assert.ThrowsAnyAsync<Exception>(() => connecting.Done.WaitAsync(s_patience));
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

    private async Task StalledAsync() => Assert.True(await _stalls.WaitAsync(s_patience));

    private Dial NewDial() => new(
        new AmqpConnectionOptions { Host = "127.0.0.1", Port = ((IPEndPoint)_listener.LocalEndPoint!).Port },
        onControl: () => { },
        onStalled: () => _stalls.Release(),
        onResumed: () => Interlocked.Increment(ref _resumed));
}
