using System.CommandLine;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Commands;

/// <summary>Shows dead letters, a line each.</summary>
internal static class ListCommand
{
    private const int Default = 50;

    public static Command Create(Workbench bench)
    {
        var (filter, limit) = (new FilterOptions(), CommonOptions.Limit($"How many to show, {Default} without it."));
        var command = new Command("list", "Show dead letters, a line each.") { limit };
        filter.AddTo(command);
        return Job.Define(bench, command, (job, parsed, cancel) => RunAsync(job, filter.Read(parsed, job.Time.GetUtcNow()), parsed.GetValue(limit), cancel));
    }

    private static async Task<int> RunAsync(Job job, MessageFilter filter, int? asked, CancellationToken cancel)
    {
        var limit = asked ?? Default;
        await using var desk = job.OpenDesk();
        var dead = desk.LookAsync(desk.DeadLettersOf(job.Queue), filter.IsAll ? limit : null, cancel).Where(filter.Matches).Take(limit);
        var shown = await MessageList.ShowAsync(job.Screen, dead, withBody: false);
        if (shown == limit)
            MessageList.TellOfMore(job.Screen, shown, isAsked: asked is not null);
        else
            job.Screen.Line(shown == 0 ? $"'{job.Queue}' has no {(filter.IsAll ? "" : "such ")}dead letters.{MessageText.Unseen(desk)}" : $"{shown} in all.");
        return ExitCode.Stopped;
    }
}
