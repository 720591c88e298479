using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>A request on its way to the broker and back. It ends where the answer arrives, or where it is called off.</summary>
internal abstract class Call
{
    /// <summary>The connection is gone, and the answer with it.</summary>
    public abstract void Fail(Exception problem);
}

/// <inheritdoc/>
internal sealed class Call<T> : Call
{
    private readonly VirtualProcess _process;
    private readonly Action<Call> _ended;
    private readonly TaskCompletionSource<T> _answer = new();
    private readonly CancellationTokenRegistration _registration;

    public Call(VirtualProcess process, Action<Call> ended, CancellationToken cancel)
    {
        _process = process;
        _ended = ended;
        _registration = cancel.UnsafeRegister(static (self, cancel) => ((Call<T>)self!).End(call => call._answer.TrySetCanceled(cancel)), this);
    }

    public Task<T> Answer => _answer.Task;

    public void Succeed(T answer) => _process.Arrive(() => End(call => call._answer.TrySetResult(answer)));

    public override void Fail(Exception problem) => _process.Arrive(() => End(call => call._answer.TrySetException(problem)));

    private void End(Action<Call<T>> end)
    {
        _registration.Unregister();
        _ended(this);
        end(this);
    }
}
