namespace Holdfast.Worker.Commands;

/// <summary>Asks the person at a terminal whether to go on, and takes nothing but a yes for one.</summary>
internal sealed class Confirmation(TextWriter terminal, Func<Stream> keyboard)
{
    /// <exception cref="OperationCanceledException">The command is told to stop, and waits for no answer.</exception>
    public async Task<bool> AskAsync(string question, CancellationToken cancel)
    {
        string? answer = null;
        terminal.Write($"{question} [y/N] ");
        try
        {
            // The read can't be called off: who is told to stop leaves it behind, and the process ends without it.
            using var lines = new StreamReader(keyboard());
            answer = await lines.ReadLineAsync(cancel).AsTask().WaitAsync(cancel);
        }
        finally
        {
            // Nobody has pressed Enter, and what comes next is to have a line of its own.
            if (answer is null)
                terminal.WriteLine();
        }

        return answer?.Trim().ToUpperInvariant() is "Y" or "YES";
    }
}
