using System.Reflection;
using System.Text;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>A connection without a server: it hands out fake channels, and keeps them for the test to look at.</summary>
public class FakeConnection : DispatchProxy
{
    private readonly TaskCompletionSource _disposed = new();
    private AsyncEventHandler<ShutdownEventArgs>? _shutdown;
    private ShutdownEventArgs? _end;
    private AsyncEventHandler<ConnectionBlockedEventArgs>? _blocked;
    private AsyncEventHandler<AsyncEventArgs>? _unblocked;

    public IConnection Connection => (IConnection)(object)this;

    public List<FakeChannel> Channels { get; } = [];

    /// <summary>What the server says that it is.</summary>
    public string Version { get; set; } = "4.0.0";

    /// <summary>What each answer of its channels waits for, or fails with.</summary>
    public Func<string, Task> Answer { get; set; } = _ => Task.CompletedTask;

    /// <summary>What each channel that is opened waits for, or fails with.</summary>
    public Func<Task> Opening { get; set; } = () => Task.CompletedTask;

    public static FakeConnection Open() => (FakeConnection)(object)Create<IConnection, FakeConnection>();

    /// <summary>How many messages its queues say they have.</summary>
    public uint Ready { get; set; }

    /// <summary>How many consumers its queues say they have.</summary>
    public uint Consumers { get; set; } = 1;

    /// <summary>The most bytes that it takes in one frame; 0 for as many as there are.</summary>
    public uint FrameMax { get; set; }

    /// <summary>Whether it lives: a test may end it.</summary>
    public bool IsOpen { get; set; } = true;

    /// <summary>Completes when it is given up for good.</summary>
    public Task Disposed => _disposed.Task;

    /// <summary>How many want to be told of its end.</summary>
    public int Listeners => _shutdown?.GetInvocationList().Length ?? 0;

    /// <summary>It ends. What was asked by its channels is not answered any more, and they may not know.</summary>
    public Task EndAsync()
    {
        IsOpen = false;
        _end = new ShutdownEventArgs(ShutdownInitiator.Library, 0, "End of stream");
        return _shutdown?.Invoke(Connection, _end) ?? Task.CompletedTask;
    }

    /// <summary>The server takes no messages from it.</summary>
    public Task BlockAsync(string why) => _blocked!(Connection, new ConnectionBlockedEventArgs(why));

    /// <summary>It takes them again.</summary>
    public Task UnblockAsync() => _unblocked!(Connection, new AsyncEventArgs());

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        switch (targetMethod!.Name)
        {
            case "get_ServerProperties":
                return new Dictionary<string, object?> { ["version"] = Encoding.ASCII.GetBytes(Version) };
            case "get_IsOpen":
                return IsOpen;
            case "get_FrameMax":
                return FrameMax;
            case "get_Heartbeat":
                return TimeSpan.FromSeconds(10);
            case "add_ConnectionShutdownAsync":
                Listen((AsyncEventHandler<ShutdownEventArgs>)args![0]!);
                return null;
            case "remove_ConnectionShutdownAsync":
                _shutdown -= (AsyncEventHandler<ShutdownEventArgs>)args![0]!;
                return null;
            case "add_ConnectionBlockedAsync":
                _blocked += (AsyncEventHandler<ConnectionBlockedEventArgs>)args![0]!;
                return null;
            case "add_ConnectionUnblockedAsync":
                _unblocked += (AsyncEventHandler<AsyncEventArgs>)args![0]!;
                return null;
            case nameof(IConnection.CreateChannelAsync):
                return CreateChannelAsync();
            case nameof(IConnection.CloseAsync):
                return Task.CompletedTask;
            case nameof(IAsyncDisposable.DisposeAsync):
                _disposed.TrySetResult();
                return ValueTask.CompletedTask;
            default:
                throw new NotSupportedException(targetMethod.Name);
        }
    }

    // Of one that has ended, who wants to be told is told at once, as by the client.
    private void Listen(AsyncEventHandler<ShutdownEventArgs> listener)
    {
        if (_end is null)
            _shutdown += listener;
        else
            listener(Connection, _end);
    }

    private async Task<IChannel> CreateChannelAsync()
    {
        await Opening();
        if (_end is not null)
            throw new AlreadyClosedException(_end);
        var channel = FakeChannel.Open();
        channel.Answer = Answer;
        (channel.Ready, channel.Consumers) = (Ready, Consumers);
        Channels.Add(channel);
        return channel.Channel;
    }
}
