using System.Diagnostics;

namespace Holdfast.Tests.Servers;

/// <summary>What a program that ran to its end has written.</summary>
public sealed record ProgramRun(int Code, string Output, string Error);

/// <summary>Runs programs to their end.</summary>
public static class ProgramRunExtensions
{
    // Longer than the longest takes, which is to build images; what hangs is ended, and says so.
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(10);

    public static async Task<ProgramRun> RunAsync(this ProcessStartInfo start)
    {
        start.RedirectStandardOutput = start.RedirectStandardError = true;
        using var process = Process.Start(start)!;
        var (output, error) = (process.StandardOutput.ReadToEndAsync(), process.StandardError.ReadToEndAsync());
        try
        {
            await Task.WhenAll(output, error, process.WaitForExitAsync()).WaitAsync(s_patience);
        }
        catch (TimeoutException)
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{start.Told()} did not end within {s_patience.TotalMinutes:0} minutes.");
        }

        return new ProgramRun(process.ExitCode, await output, await error);
    }

    /// <summary>Runs it, and returns what it wrote to its standard output; its end must be a good one.</summary>
    public static async Task<string> OutputAsync(this ProcessStartInfo start)
    {
        var run = await start.RunAsync();
        return run.Code == 0 ? run.Output : throw new InvalidOperationException($"{start.Told()} ended with {run.Code}: {run.Output}{run.Error}");
    }

    private static string Told(this ProcessStartInfo start) => $"{start.FileName} {string.Join(' ', start.ArgumentList)}";
}
