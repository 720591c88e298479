namespace Holdfast.Bench;

/// <summary>Handlers that leave nobody a thread or a CPU, and a count of what became of each message.</summary>
internal sealed class HardWork : IWork
{
    private const int Turns = 10;
    private const int Pieces = 16;
    private static readonly TimeSpan s_block = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_longWait = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_shortWait = TimeSpan.FromMilliseconds(20);

    // So long do the last acknowledgements have to leave.
    private static readonly TimeSpan s_lastWord = TimeSpan.FromSeconds(2);

    // Of so many handlers in a row that escape, so many block; the others burn.
    private const int Escaping = 33;
    private const int Blocking = 25;

    private readonly Func<int, Task> _turn;
    private readonly int[] _begun;
    private readonly int[] _handled;
    private readonly TaskCompletionSource _done = new();
    private int _left;

    public HardWork(Chore chore, int messages)
    {
        _turn = chore switch
        {
            Chore.Burn => _ => BurnAsync(),
            Chore.Sleep => _ => SleepAsync(),
            Chore.Escape => EscapeAsync,
            _ => _ => FloodAsync(),
        };
        _begun = new int[messages];
        _handled = new int[messages];
        _left = messages;

        // Finds out how fast this machine is while nothing else runs yet.
        Burn.Work(0);
    }

    public async ValueTask HandleAsync(int number, long sentAt)
    {
        Interlocked.Increment(ref _begun[number]);
        for (var i = 0; i < Turns; i++)
            await _turn(number);
        if (Interlocked.Increment(ref _handled[number]) == 1 && Interlocked.Decrement(ref _left) == 0)
            _done.SetResult();
    }

    public Finding Wait(TimeSpan limit)
    {
        if (_done.Task.Wait(limit))
            Thread.Sleep(s_lastWord);
        return new()
        {
            Handled = _handled.Count(times => times > 0),
            BegunTwice = _begun.Count(times => times > 1),
        };
    }

    private static async Task BurnAsync()
    {
        Burn.Work(s_block.TotalMicroseconds);
        await Task.Delay(s_longWait);
    }

    private static async Task SleepAsync()
    {
        Thread.Sleep(s_block);
        await Task.Delay(s_shortWait);
    }

    private static Task EscapeAsync(int number) => number % Escaping < Blocking
        ? Task.Run(static () => Thread.Sleep(s_block))
        : Task.Run(static () => Burn.Work(s_block.TotalMicroseconds));

    private static async Task FloodAsync()
    {
        await Task.WhenAll(Enumerable.Range(0, Pieces).Select(static _ => Task.Run(static () => Burn.Work(s_block.TotalMicroseconds / Pieces))));
        await Task.Delay(s_shortWait);
    }
}
