using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;

namespace Holdfast.Bench;

/// <summary>Asks for renewals as a broker's client does: one connection, a loop that writes and one that reads, both on the thread pool.</summary>
internal sealed class RenewalClient : IDisposable
{
    private const int FrameSize = sizeof(int);

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly Channel<int> _requests = Channel.CreateUnbounded<int>(new() { SingleReader = true });
    private readonly ConcurrentDictionary<int, TaskCompletionSource> _unanswered = new();
    private int _last;

    public RenewalClient(int port)
    {
        _socket.Connect(IPAddress.Loopback, port);
        _ = Task.Run(WriteAsync);
        _ = Task.Run(ReadAsync);
    }

    /// <summary>Completes once the answer is here.</summary>
    public Task RenewAsync()
    {
        var answer = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var number = Interlocked.Increment(ref _last);
        _unanswered[number] = answer;
        _requests.Writer.TryWrite(number);
        return answer.Task;
    }

    public void Dispose() => _socket.Dispose();

    private async Task WriteAsync()
    {
        var frame = new byte[FrameSize];
        await foreach (var number in _requests.Reader.ReadAllAsync().ConfigureAwait(false))
        {
            BinaryPrimitives.WriteInt32BigEndian(frame, number);
            await _socket.SendAsync(frame).ConfigureAwait(false);
        }
    }

    private async Task ReadAsync()
    {
        var buffer = new byte[16 * 1024];
        var filled = 0;
        while (await _socket.ReceiveAsync(buffer.AsMemory(filled)).ConfigureAwait(false) is > 0 and var count)
        {
            filled += count;
            var read = 0;
            for (; filled - read >= FrameSize; read += FrameSize)
                Answer(BinaryPrimitives.ReadInt32BigEndian(buffer.AsSpan(read)));
            buffer.AsSpan(read, filled - read).CopyTo(buffer);
            filled -= read;
        }
    }

    private void Answer(int number)
    {
        if (_unanswered.TryRemove(number, out var answer))
            answer.SetResult();
    }
}
