using System.CommandLine;
using Holdfast.Broker;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Commands;

/// <summary>Shows one dead letter with all that it tells.</summary>
internal static class ShowCommand
{
    public static Command Create(Workbench bench)
    {
        var (id, from) = (new Argument<string>("ID") { Description = "The message's id." }, new FromOption());
        var command = new Command("show", "Show a dead letter: why it is one, its properties, its body.") { id };
        from.AddTo(command);
        return Job.Define(bench, command, async (job, parsed, cancel) =>
        {
            await using var desk = job.OpenDesk();
            return await RunAsync(job, desk, from.Read(job, parsed, desk), parsed.GetValue(id)!, cancel);
        });
    }

    private static async Task<int> RunAsync(Job job, IBrokerDesk desk, DeadLetters letters, string id, CancellationToken cancel)
    {
        var message = await desk.LookAsync(letters.Place, most: null, cancel).FirstOrDefaultAsync(message => message.Message.Id == id, cancel)
            ?? throw new Failure($"'{id}' is not among the {letters.Text}; see dead list.{MessageText.Unseen(desk)}", ExitCode.Failed);
        job.Screen.Data(MessageView.Of(message, withBody: true));
        foreach (var line in MessageText.Story(message))
            job.Screen.Line(line);
        return ExitCode.Stopped;
    }
}
