using System.Diagnostics;

namespace Holdfast.Tests.Integration.Commands;

/// <summary>The program, called as a person calls it.</summary>
internal static class HoldfastCommand
{
    public static async Task<(int Code, string[] Output, string[] Error)> RunAsync((string Name, string Value)[] settings, params string[] arguments)
    {
        using var process = Start(settings, arguments);
        process.StandardInput.Close();
        return await EndAsync(process);
    }

    public static async Task<(int Code, string[] Output, string[] Error)> EndAsync(Process process)
    {
        var error = process.StandardError.ReadToEndAsync();
        var output = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        return (process.ExitCode, Lines(output), Lines(await error));
    }

    public static Process Start((string Name, string Value)[] settings, params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Holdfast.Worker.dll"), .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = AppContext.BaseDirectory,
        };
        foreach (var (name, value) in settings)
            start.Environment[name] = value;
        return Process.Start(start)!;
    }

    private static string[] Lines(string text) => text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
}
