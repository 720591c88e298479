using System.CommandLine;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Commands;

/// <summary>Shows what waits in a queue, and takes nothing.</summary>
internal static class PeekCommand
{
    private const int Default = 10;

    public static Command Create(Workbench bench)
    {
        var limit = CommonOptions.Limit($"How many messages, {Default} without it.");
        var command = new Command("peek", "Look at the first messages of a queue. On RabbitMQ this counts as a delivery: in a quorum queue it uses up one of those that Worker__Retry__MaxDeliveries allows.") { limit };
        return Job.Define(bench, command, (job, parsed, cancel) => RunAsync(job, parsed.GetValue(limit), cancel));
    }

    private static async Task<int> RunAsync(Job job, int? asked, CancellationToken cancel)
    {
        var limit = asked ?? Default;
        await using var desk = job.OpenDesk();
        var shown = await MessageList.ShowAsync(job.Screen, desk.LookAsync(job.Queue, limit, cancel), withBody: true);
        if (shown == limit)
            MessageList.TellOfMore(job.Screen, shown, isAsked: asked is not null);
        else if (shown == 0)
            job.Screen.Line($"Nothing waits in '{job.Queue}'.{MessageText.Unseen(desk)}");
        return ExitCode.Stopped;
    }
}
