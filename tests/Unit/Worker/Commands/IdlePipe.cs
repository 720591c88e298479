namespace Holdfast.Tests.Unit.Worker.Commands;

/// <summary>A pipe that brings one thing and then nothing, and whose reads, as a terminal's, can't be called off.</summary>
internal sealed class IdlePipe(byte[] first) : MemoryStream
{
    private readonly TaskCompletionSource _idle = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isRead = first.Length == 0;

    public Task IsIdle => _idle.Task;

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (_isRead)
        {
            _idle.TrySetResult();
            return new(new TaskCompletionSource<int>().Task);
        }

        _isRead = true;
        first.CopyTo(buffer);
        return new(first.Length);
    }

    public override async Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        var buffer = new byte[first.Length];
        while (await ReadAsync(buffer, CancellationToken.None) is > 0 and var read)
            await destination.WriteAsync(buffer.AsMemory(0, read), CancellationToken.None);
    }
}
