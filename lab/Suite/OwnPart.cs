using System.Text.Json;

namespace Holdfast.Lab;

/// <summary>
/// Something measured in a process of its own, with a thread pool that nobody has used before: from both its ends.
/// Questions and findings are handed over as JSON.
/// </summary>
internal sealed class OwnPart<TQuestion, TFinding>(string name, Func<TQuestion, Task<TFinding>> measure) : IOwnPart
{
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(5);

    public string Name => name;

    /// <summary>Starts a process and waits for what it found.</summary>
    public async Task<TFinding> AskAsync(TQuestion question, CancellationToken cancel)
    {
        using var process = OwnProcess.Start(typeof(Catalog).Assembly, [PartProcess.Argument, name, JsonSerializer.Serialize(question)]);
        using var tooLong = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        tooLong.CancelAfter(s_longest);
        try
        {
            var output = await process.StandardOutput.ReadToEndAsync(tooLong.Token);
            await process.WaitForExitAsync(tooLong.Token);
            return process.ExitCode == 0
                ? JsonSerializer.Deserialize<TFinding>(output)!
                : throw new PartFailedException($"{name} ended with exit code {process.ExitCode}; its error is above.");
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            cancel.ThrowIfCancellationRequested();
            throw new PartFailedException($"{name} had not ended after {s_longest.TotalMinutes} minutes and was ended.");
        }
    }

    public async Task<string> AnswerAsync(string question) =>
        JsonSerializer.Serialize(await measure(JsonSerializer.Deserialize<TQuestion>(question)!));
}
