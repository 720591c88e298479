using System.CommandLine;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Commands;

/// <summary>Shows one dead letter with all that it tells.</summary>
internal static class ShowCommand
{
    public static Command Create(Workbench bench)
    {
        var id = new Argument<string>("ID") { Description = "The message's id." };
        return Job.Define(bench, new Command("show", "Show a dead letter: why it is one, its properties, its body.") { id }, (job, parsed, cancel) => RunAsync(job, parsed.GetValue(id)!, cancel));
    }

    private static async Task<int> RunAsync(Job job, string id, CancellationToken cancel)
    {
        await using var desk = job.OpenDesk();
        var message = await desk.LookAsync(desk.DeadLettersOf(job.Queue), most: null, cancel).FirstOrDefaultAsync(message => message.Message.Id == id, cancel)
            ?? throw new Failure($"'{job.Queue}' has no dead letter '{id}'; see dead list.{MessageText.Unseen(desk)}", ExitCode.Failed);
        job.Screen.Data(MessageView.Of(message, withBody: true));
        foreach (var line in MessageText.Story(message))
            job.Screen.Line(line);
        return ExitCode.Stopped;
    }
}
