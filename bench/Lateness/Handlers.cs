namespace Holdfast.Bench;

/// <summary>What the handlers do besides burning CPU.</summary>
internal enum Manner
{
    Burn,
    Allocate,
    Escape,
    Block,
}

/// <summary>Handlers that never end: blocks of a second, and 10 ms of waiting between them.</summary>
internal sealed class Handlers(Manner manner)
{
    private const int OneInEscapes = 8;
    private static readonly TimeSpan s_block = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_wait = TimeSpan.FromMilliseconds(10);

    private readonly Garbage _garbage = new();

    public async Task HandleAsync(int number)
    {
        while (true)
        {
            // Whoever leaves its lane once never comes back to it.
            await Task.Delay(s_wait).ConfigureAwait(continueOnCapturedContext: manner != Manner.Escape || number % OneInEscapes != 0);
            Work();
        }
    }

    private void Work()
    {
        if (manner == Manner.Block)
            Thread.Sleep(s_block);
        else if (manner == Manner.Allocate)
            _garbage.MakeFor(s_block);
        else
            Burn.For(s_block);
    }
}
