namespace Holdfast.Amqp;

/// <summary>That somebody waits for the peer's answer, until it is disposed of, once. Any thread.</summary>
public readonly struct AnswerWait : IDisposable
{
    private readonly IdleWatch _idle;

    internal AnswerWait(IdleWatch idle)
    {
        _idle = idle;
        idle.NoteWaiting();
    }

    public void Dispose() => _idle.NoteWaitOver();
}
