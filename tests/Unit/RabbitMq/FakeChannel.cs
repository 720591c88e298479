using System.Reflection;
using System.Threading.Channels;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>A channel without a server: it answers at once, or when the test lets it, and tells in order what it was asked.</summary>
public class FakeChannel : DispatchProxy
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly Channel<string> _asked = System.Threading.Channels.Channel.CreateUnbounded<string>();
    private readonly Dictionary<string, IAsyncBasicConsumer> _consumers = [];
    private readonly TaskCompletionSource _disposed = new();
    private AsyncEventHandler<ShutdownEventArgs>? _shutdown;
    private AsyncEventHandler<BasicReturnEventArgs>? _return;
    private IAsyncBasicConsumer? _newest;

    public IChannel Channel => (IChannel)(object)this;

    /// <summary>What each answer waits for, or fails with.</summary>
    public Func<string, Task> Answer { get; set; } = _ => Task.CompletedTask;

    /// <summary>How many messages the queue says it has for anybody.</summary>
    public uint Ready { get; set; }

    /// <summary>How many consumers the queue says it has.</summary>
    public uint Consumers { get; set; } = 1;

    /// <summary>The queues that were declared by it, and with what arguments.</summary>
    public Dictionary<string, IDictionary<string, object?>> Declared { get; } = [];

    /// <summary>What was published by it.</summary>
    public List<(string Queue, IReadOnlyBasicProperties Envelope)> Published { get; } = [];

    /// <summary>What it says that it was closed for.</summary>
    public ShutdownEventArgs? CloseReason { get; set; }

    /// <summary>Completes when it is given up for good.</summary>
    public Task Disposed => _disposed.Task;

    public bool IsDisposed => Disposed.IsCompleted;

    public static FakeChannel Open() => (FakeChannel)(object)Create<IChannel, FakeChannel>();

    /// <summary>The next thing that it is asked, or was.</summary>
    public async Task<string> AskedAsync() => await _asked.Reader.ReadAsync().AsTask().WaitAsync(s_patience);

    /// <summary>All that it was asked since the test last looked.</summary>
    public List<string> Asked()
    {
        var all = new List<string>();
        while (_asked.Reader.TryRead(out var asked))
            all.Add(asked);
        return all;
    }

    /// <summary>A message comes by the newest consumer, ended or not.</summary>
    public Task DeliverAsync(ulong tag, string id, bool isRedelivered = false, ReadOnlyMemory<byte> body = default) =>
        DeliverAsync(tag, new BasicProperties { MessageId = id, Headers = new Dictionary<string, object?>() }, isRedelivered, body);

    public Task DeliverAsync(ulong tag, BasicProperties envelope, bool isRedelivered, ReadOnlyMemory<byte> body = default) =>
        _newest!.HandleBasicDeliverAsync("", tag, isRedelivered, "", "orders", envelope, body);

    /// <summary>The server ends the newest consumer.</summary>
    public Task CancelAsync() => _newest!.HandleBasicCancelAsync("");

    /// <summary>The server ends the channel.</summary>
    public Task ShutDownAsync(ShutdownEventArgs? reason = null) =>
        _shutdown!(Channel, reason ?? new ShutdownEventArgs(ShutdownInitiator.Peer, 320, "CONNECTION_FORCED"));

    /// <summary>The server has no such queue for what was published.</summary>
    public Task ReturnAsync(string queue) =>
        _return!(Channel, new BasicReturnEventArgs(Constants.NoRoute, "NO_ROUTE", "", queue, new BasicProperties(), ReadOnlyMemory<byte>.Empty));

    /// <summary>What the server says of the queue, on whatever channel it is asked; it is told among what this one was asked.</summary>
    public async Task<QueueDeclareOk> LookAsync()
    {
        await AskAsync("look");
        return new QueueDeclareOk("orders", Ready, Consumers);
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        switch (targetMethod!.Name)
        {
            case "get_IsOpen":
                return !IsDisposed;
            case "add_BasicReturnAsync":
                _return += (AsyncEventHandler<BasicReturnEventArgs>)args![0]!;
                return null;
            case "get_CloseReason":
                return CloseReason;
            case nameof(IChannel.TxSelectAsync):
            case nameof(IChannel.TxRollbackAsync):
                return Task.CompletedTask;
            case nameof(IChannel.QueueDeleteAsync):
                return Task.FromResult(0u);
            case nameof(IChannel.TxCommitAsync):
                return AskAsync("commit");
            case nameof(IChannel.BasicPublishAsync):
                Published.Add(((string)args![1]!, (IReadOnlyBasicProperties)args[3]!));
                return new ValueTask(AskAsync((((CancellationToken)args[^1]!).CanBeCanceled ? "publish until called off" : "publish") + Unless((bool)args[2]!, " whether or not there is its queue")));
            case "add_ChannelShutdownAsync":
                _shutdown += (AsyncEventHandler<ShutdownEventArgs>)args![0]!;
                return null;
            case nameof(IChannel.BasicQosAsync):
                return AskAsync($"qos {args![1]}");
            case nameof(IChannel.BasicConsumeAsync):
                return ConsumeAsync((string)args![2]!, (IAsyncBasicConsumer)args[6]!);
            case nameof(IChannel.BasicCancelAsync):
                return EndAsync((string)args![0]!);
            case nameof(IChannel.BasicAckAsync):
                return new ValueTask(AskAsync((bool)args![1]! ? $"ack up to {args[0]}" : $"ack {args[0]}"));
            case nameof(IChannel.BasicNackAsync):
                return new ValueTask(AskAsync(((bool)args![1]! ? $"nack up to {args[0]}" : $"nack {args[0]}") + Unless((bool)args[2]!, " for good")));
            case nameof(IChannel.BasicRejectAsync):
                return new ValueTask(AskAsync($"reject {args![0]}" + Unless((bool)args[1]!, " for good")));
            case nameof(IChannel.QueueDeclarePassiveAsync):
                return LookAsync();
            case nameof(IChannel.QueueDeclareAsync):
                Declared[(string)args![0]!] = (IDictionary<string, object?>)args[4]!;
                return DeclareAsync((string)args[0]!);
            case nameof(IChannel.CloseAsync):
                return AskAsync("close");
            case nameof(IAsyncDisposable.DisposeAsync):
                _disposed.TrySetResult();
                return ValueTask.CompletedTask;
            default:
                throw new NotSupportedException(targetMethod.Name);
        }
    }

    // What costs a message where it is not meant: it is not sent back to its queue, or is sent to one that may not be there.
    private static string Unless(bool isSafe, string what) => isSafe ? "" : what;

    private Task AskAsync(string question)
    {
        var answer = Answer(question);
        _asked.Writer.TryWrite(question);
        return answer;
    }

    private async Task<QueueDeclareOk> DeclareAsync(string queue)
    {
        await AskAsync($"declare {queue}");
        return new QueueDeclareOk(queue, Ready, Consumers);
    }

    private async Task<string> ConsumeAsync(string tag, IAsyncBasicConsumer consumer)
    {
        _newest = _consumers[tag] = consumer;
        await AskAsync("consume");
        return tag;
    }

    private async Task EndAsync(string tag)
    {
        await AskAsync("cancel");
        await _consumers[tag].HandleBasicCancelOkAsync(tag);
    }
}
