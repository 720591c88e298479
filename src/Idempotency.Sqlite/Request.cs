namespace Holdfast.Idempotency.Sqlite;

/// <summary>What is asked of the store's thread: to keep a key, or whether it is kept.</summary>
internal sealed class Request(string queue, string key, bool isQuestion)
{
    private readonly TaskCompletionSource<bool> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public string Queue { get; } = queue;

    public string Key { get; } = key;

    public bool IsQuestion { get; } = isQuestion;

    public Task<bool> Answer => _answer.Task;

    public void Succeed(bool answer) => _answer.TrySetResult(answer);

    public void Fail(Exception problem) => _answer.TrySetException(problem);
}
