using System.Diagnostics;
using System.Text.Json;

namespace Holdfast.Bench;

/// <summary>A part's own process, from both its ends: who starts it reads the outcome from its output.</summary>
internal static class PartProcess
{
    public const string Argument = "--part";
    private const string Quick = "quick";
    private const string Full = "full";
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(12);

    /// <summary>Starts the process and waits for what it found; null where it broke.</summary>
    public static async Task<Outcome?> StartAsync(Case one, Part part, Scale scale, QuotaCgroup? cgroup)
    {
        using var process = Child.Start(cgroup, [Argument, one.Name, part.Name, scale.Pick(Full, Quick)]);
        using var tooLong = new CancellationTokenSource(s_longest);
        try
        {
            var output = await process.StandardOutput.ReadToEndAsync(tooLong.Token);
            await process.WaitForExitAsync(tooLong.Token);
            return process.ExitCode == 0 ? JsonSerializer.Deserialize<Outcome>(output) : null;
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync();
            Console.Error.WriteLine($"{one.Name}, {part.Name}: ended, since it took longer than {s_longest.TotalMinutes:0} minutes.");
            return null;
        }
    }

    /// <summary>Measures a part in this process, on the main thread.</summary>
    public static int Run(string name, string part, string scale)
    {
        OwnProcess.EndWithParent();
        var surroundings = new Surroundings();
        var found = Catalog.Find(name)!.Parts.First(one => one.Name == part).Measure(new Scale(scale == Quick));
        Console.Out.Write(JsonSerializer.Serialize(With(surroundings, found)));
        Console.Out.Flush();

        // Handlers may still burn: nobody waits for them.
        Environment.Exit(0);
        throw new UnreachableException();
    }

    private static Outcome With(Surroundings surroundings, Outcome found) => surroundings.OtherCpus() is { } others
        ? found with { OtherCpus = others, Notes = [.. found.Notes, Surroundings.Describe(others)] }
        : found;
}
