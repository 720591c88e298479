namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Asks the server for a sign of life, one question at a time. Who asks while one is on its way gets the answer to the next:
/// only what was sent after it was asked for proves anything to it. Any thread.
/// </summary>
internal sealed class Pulse(Func<Task> ask)
{
    private readonly Lock _gate = new();
    private Task _current = Task.CompletedTask;
    private Task? _next;

    public Task BeatAsync()
    {
        lock (_gate)
        {
            if (_next is not null)
                return _next;
            if (!_current.IsCompleted)
                return _next = AfterAsync(_current);
            return _current = ask();
        }
    }

    private async Task AfterAsync(Task current)
    {
        // Not at once, even if it has just ended: who asks holds the gate still, and has yet to note that this one is the next.
        await current.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        Task next;
        lock (_gate)
        {
            _next = null;
            next = _current = ask();
        }

        await next.ConfigureAwait(false);
    }
}
