using System.CommandLine;
using Holdfast.Broker;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Commands;

/// <summary>Shows dead letters, a line each.</summary>
internal static class ListCommand
{
    private const int Default = 50;

    public static Command Create(Workbench bench)
    {
        var (from, filter, limit) = (new FromOption(), new FilterOptions(), CommonOptions.Limit($"How many to show, {Default} without it."));
        var command = new Command("list", "Show dead letters, a line each.") { limit };
        from.AddTo(command);
        filter.AddTo(command);
        return Job.Define(bench, command, async (job, parsed, cancel) =>
        {
            await using var desk = job.OpenDesk();
            return await RunAsync(job, desk, from.Read(job, parsed, desk), filter.Read(parsed, job.Time.GetUtcNow()), parsed.GetValue(limit), cancel);
        });
    }

    private static async Task<int> RunAsync(Job job, IBrokerDesk desk, DeadLetters letters, MessageFilter filter, int? asked, CancellationToken cancel)
    {
        var limit = asked ?? Default;
        var dead = desk.LookAsync(letters.Place, filter.IsAll ? limit : null, cancel).Where(filter.Matches).Take(limit);
        var shown = await MessageList.ShowAsync(job.Screen, dead, withBody: false);
        if (shown == limit)
            MessageList.TellOfMore(job.Screen, shown, isAsked: asked is not null);
        else
            job.Screen.Line(shown == 0 ? $"There are no {(filter.IsAll ? "" : "such ")}{letters.Text}.{MessageText.Unseen(desk)}" : $"{shown} in all.");
        return ExitCode.Stopped;
    }
}
