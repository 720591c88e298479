using System.Threading.Channels;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// A channel by which a sweep gets at most so many messages at once. What it is not told to take it holds, so that it does not come again, until it is closed.
/// The client calls it, one delivery after the other.
/// </summary>
internal sealed class Window : IAsyncBasicConsumer
{
    private readonly Channel<SweptMessage> _arrived = System.Threading.Channels.Channel.CreateUnbounded<SweptMessage>(new() { SingleReader = true });
    private readonly string _queue;
    private readonly int _size;
    private int _held;
    private int _left;
    private readonly TaskCompletionSource _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private string _consumer = "";
    private Func<Exception>? _end;

    private Window(IChannel channel, string queue, int size)
    {
        (Channel, _queue, _size) = (channel, queue, size);
        channel.ChannelShutdownAsync += OnShutdownAsync;
        channel.BasicReturnAsync += OnReturnAsync;
    }

    public IChannel Channel { get; }

    /// <summary>How many it holds at most.</summary>
    public int Size => _size;

    /// <summary>Whether the server sends nothing more by it, and nothing is left of what it sent.</summary>
    public bool IsFull => (_stopped.Task.IsCompleted || Volatile.Read(ref _held) == _size) && !_arrived.Reader.TryPeek(out _);

    /// <summary>The queues that the server did not find when it acted on the commit.</summary>
    public HashSet<string> Gone { get; } = [];

    // The answer to a commit does not wait for the queue that the originals leave. It has heard of those at least in whose place it has sent others.
    private int Unheard => Math.Min(Volatile.Read(ref _left), _size - Volatile.Read(ref _held));

    /// <exception cref="UnansweredException">The server did not answer in time.</exception>
    public static async Task<Window> OpenAsync(
        IConnection connection, string queue, IDictionary<string, object?>? arguments, int size, TimeProvider time, CancellationToken cancel)
    {
        var opening = BeginAsync(connection, queue, arguments, size);
        try
        {
            return await opening.WithinAsync(Questions.Patience, time, cancel).ConfigureAwait(false);
        }
        catch (Exception)
        {
            _ = CloseAsync(opening);
            throw;
        }
    }

    /// <summary>Why the server has ended it; null where it has not.</summary>
    public Exception? End => Volatile.Read(ref _end)?.Invoke();

    /// <summary>What has come by it is the server's again once that has ended it: it counts for nothing, and may come another time.</summary>
    public void ThrowIfEnded()
    {
        if (End is { } why)
            throw why;
    }

    /// <summary>Has the server answer by it: fails where it has ended the window, heard of or not.</summary>
    public Task AnswerAsync() => Channel.BasicQosAsync(0, (ushort)_size, global: false);

    /// <summary>Has the server send nothing more by it. What it holds it holds, and what was on its way has come when this ends.</summary>
    public async Task StopAsync()
    {
        if (_stopped.Task.IsCompleted)
            return;
        await Channel.BasicCancelAsync(_consumer).ConfigureAwait(false);
        await _stopped.Task.ConfigureAwait(false);
    }

    /// <summary>The next message; null where none came in time.</summary>
    public async ValueTask<SweptMessage?> NextAsync(TimeSpan patience, TimeProvider time, CancellationToken cancel)
    {
        if (_arrived.Reader.TryRead(out var message))
            return message;

        using var enough = new CancellationTokenSource(patience, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(enough.Token, cancel);
        try
        {
            return await _arrived.Reader.ReadAsync(either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancel.IsCancellationRequested)
        {
            return null;
        }
        catch (ChannelClosedException)
        {
            ThrowIfEnded();
            throw;
        }
    }

    /// <summary>So many of those that it held have left.</summary>
    public void Left(int count)
    {
        Interlocked.Add(ref _held, -count);
        Interlocked.Add(ref _left, count);
    }

    public Task HandleBasicDeliverAsync(
        string consumerTag, ulong deliveryTag, bool redelivered, string exchange, string routingKey, IReadOnlyBasicProperties properties,
        ReadOnlyMemory<byte> body, CancellationToken cancellationToken = default)
    {
        Interlocked.Increment(ref _held);

        try
        {
            // The body is the client's again when this returns.
            _arrived.Writer.TryWrite(new SweptMessage(this, deliveryTag, properties, body.ToArray()));
        }
        catch (Exception problem)
        {
            // The client goes on without a word, and it would be held, and seen by nobody, as if others had taken it.
            EndFor(() => problem);
        }

        return Task.CompletedTask;
    }

    public Task HandleBasicConsumeOkAsync(string consumerTag, CancellationToken cancellationToken = default) => Task.CompletedTask;

    public Task HandleBasicCancelOkAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        _stopped.TrySetResult();
        return Task.CompletedTask;
    }

    public Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        EndFor(() => Problems.WindowEnded(_queue, Unheard));
        return Task.CompletedTask;
    }

    public Task HandleChannelShutdownAsync(object channel, ShutdownEventArgs reason) => Task.CompletedTask;

    private static async Task<Window> BeginAsync(IConnection connection, string queue, IDictionary<string, object?>? arguments, int size)
    {
        var channel = await connection.CreateChannelAsync().ConfigureAwait(false);
        var window = new Window(channel, queue, size);
        await channel.TxSelectAsync().ConfigureAwait(false);
        await channel.BasicQosAsync(0, (ushort)size, global: false).ConfigureAwait(false);
        window._consumer = await channel.BasicConsumeAsync(queue, autoAck: false, "", noLocal: false, exclusive: false, arguments, window).ConfigureAwait(false);
        return window;
    }

    // What comes by a window that opens late would be held, and seen by nobody, for as long as the connection lives.
    private static async Task CloseAsync(Task<Window> opening)
    {
        await ((Task)opening).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (opening.IsCompletedSuccessfully)
            await opening.Result.Channel.LetGoAsync().ConfigureAwait(false);
    }

    private Task OnShutdownAsync(object channel, ShutdownEventArgs reason)
    {
        EndFor(() => new OperationInterruptedException(reason));
        return Task.CompletedTask;
    }

    private Task OnReturnAsync(object channel, BasicReturnEventArgs returned)
    {
        Gone.Add(returned.RoutingKey);
        return Task.CompletedTask;
    }

    private void EndFor(Func<Exception> why)
    {
        Interlocked.CompareExchange(ref _end, why, null);
        _arrived.Writer.TryComplete();
    }
}
