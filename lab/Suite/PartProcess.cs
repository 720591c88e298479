using System.Runtime.InteropServices;

namespace Holdfast.Lab;

/// <summary>What a part's own process does.</summary>
internal static class PartProcess
{
    public const string Argument = "--part";

    public static async Task<int> RunAsync(string name, string question)
    {
        OwnProcess.EndWithParent();

        // Ctrl-C in a terminal reaches it too, but when it is to end is its parent's to say.
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, context => context.Cancel = true);

        // What is measured may write too: the answer is all that its parent reads.
        var output = Console.Out;
        Console.SetOut(Console.Error);
        await output.WriteAsync(await Catalog.Parts.Single(part => part.Name == name).AnswerAsync(question));
        await output.FlushAsync();
        return ExitCode.Ran;
    }
}
