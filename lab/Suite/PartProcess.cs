namespace Holdfast.Lab;

/// <summary>What a part's own process does.</summary>
internal static class PartProcess
{
    public const string Argument = "--part";

    public static async Task<int> RunAsync(string name, string question)
    {
        OwnProcess.EndWithParent();

        // What is measured may write too: the answer is all that its parent reads.
        var output = Console.Out;
        Console.SetOut(Console.Error);
        await output.WriteAsync(await Catalog.Parts.Single(part => part.Name == name).AnswerAsync(question));
        await output.FlushAsync();
        return ExitCode.Ran;
    }
}
