using System.CommandLine;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Commands;

/// <summary>Takes dead letters out: to be sent again, or for good.</summary>
internal sealed class ClearCommand
{
    public const string ReplayName = "replay";
    public const string PurgeName = "purge";

    private const int MostNamed = 5;

    private readonly FromOption _from = new();
    private readonly FilterOptions _filter = new();
    private readonly Option<string?> _target = CommonOptions.Queue("--to", "Where to send them, where that is not the queue that they come from.");
    private readonly Option<bool> _inOrder = new("--in-order") { Description = "RabbitMQ: keep the order of all, not only of those of one key (Worker__OrderBy); slower into classic queues." };
    private readonly Option<int?> _limit = CommonOptions.Limit("How many at most.");
    private readonly Option<double?> _rate = CommonOptions.Rate();
    private readonly Option<bool> _dry = new("--dry-run") { Description = "Only say how many it would be." };
    private readonly Option<bool> _yes = CommonOptions.Yes();
    private readonly bool _isReplay;

    private ClearCommand(bool isReplay) => _isReplay = isReplay;

    public static Command Replay(Workbench bench) => new ClearCommand(isReplay: true).Define(bench, ReplayName, "Send dead letters again, to the queue that they come from.");

    public static Command Purge(Workbench bench) => new ClearCommand(isReplay: false).Define(bench, PurgeName, "Remove dead letters for good.");

    private Command Define(Workbench bench, string name, string description)
    {
        var command = new Command(name, description) { _limit, _rate, _dry, _yes };
        if (_isReplay)
        {
            command.Add(_target);
            command.Add(_inOrder);
        }

        _from.AddTo(command);
        _filter.AddTo(command);
        return Job.Define(bench, command, RunAsync);
    }

    private async Task<int> RunAsync(Job job, ParseResult parsed, CancellationToken cancel)
    {
        var filter = _filter.Read(parsed, job.Time.GetUtcNow());
        var target = _isReplay ? parsed.GetValue(_target) ?? job.Queue : null;
        var limit = parsed.GetValue(_limit) ?? int.MaxValue;
        int? most = filter.IsAll ? limit : null;
        await using var desk = job.OpenDesk();
        var letters = _from.Read(job, parsed, desk);
        if (target is not null)
            ThrowIfNoTarget(desk, letters, target);
        if (parsed.GetValue(_dry))
            return await CountAsync(job, desk, letters, filter, target, limit, most, cancel);
        if (!parsed.GetValue(_yes))
            await job.Screen.ConfirmAsync(Question(letters, filter, target, limit), cancel);

        var rate = parsed.GetValue(_rate);
        await using var sweep = await desk.SweepAsync(letters.Place, target, KeyOf(job, parsed), rate, most, cancel);
        var clearing = new Clearing(sweep, filter, limit, rate, job.Time);
        string? problem = null;
        try
        {
            await job.Screen.WatchAsync(_isReplay ? "Replaying" : "Purging", sweep.Count, progress => clearing.RunAsync(progress, cancel));
            if (!clearing.IsEnough && sweep.Count - clearing.Seen is > 0 and var missing)
                problem = $"{missing} more were there and did not come: others have taken them, or hold them until their locks end, or the broker is slow.";
        }
        catch (Exception e) when (e is BrokerException || cancel.IsCancellationRequested)
        {
            problem = e is BrokerException ? e.Message : "It was interrupted.";
        }

        Tell(job, desk, new(letters.Queue, target, clearing.Seen, clearing.Matched, sweep.Committed, IsDryRun: false, sweep.Deferred, sweep.Scheduled));
        if (problem is not null)
            job.Screen.Fail($"{problem} Call it again for the rest.");
        if (sweep.Unsent.Count > 0)
            job.Screen.Fail(TextOf(sweep.Unsent));
        return problem is null && sweep.Unsent.Count == 0 ? ExitCode.Stopped : ExitCode.Failed;
    }

    // What is sent to where it lies would only change its place.
    private static void ThrowIfNoTarget(IBrokerDesk desk, DeadLetters letters, string target)
    {
        if (letters.Place == target)
            throw new Failure($"They lie in '{target}' already; name another queue by --to.", ExitCode.Misused);
        desk.ThrowIfNoTarget(target);
    }

    private Func<Message, string?> KeyOf(Job job, ParseResult parsed)
    {
        if (parsed.GetValue(_inOrder))
            return _ => "all";
        var by = job.Queues[0].Options.OrderBy;
        return message => OrderKey.Of(message, by);
    }

    private static async Task<int> CountAsync(Job job, IBrokerDesk desk, DeadLetters letters, MessageFilter filter, string? target, int limit, int? most, CancellationToken cancel)
    {
        var counted = await LookAsync();
        if (counted.Deferred + counted.Scheduled is > 0 and var left && counted.Seen + left == most)
        {
            // Those that nobody is handed stood in the place of others.
            most = null;
            counted = await LookAsync();
        }

        Tell(job, desk, counted);
        return ExitCode.Stopped;

        async Task<ClearedView> LookAsync()
        {
            var (seen, matched, deferred, scheduled) = (0L, 0L, 0L, 0L);
            await foreach (var message in desk.LookAsync(letters.Place, most, cancel))
            {
                if (message.State != QueuedState.Active)
                {
                    (deferred, scheduled) = message.State == QueuedState.Deferred ? (deferred + 1, scheduled) : (deferred, scheduled + 1);
                    continue;
                }

                seen++;
                if (filter.Matches(message) && ++matched == limit)
                    break;
            }

            return new(letters.Queue, target, seen, matched, Done: 0, IsDryRun: true, deferred, scheduled);
        }
    }

    private static string TextOf(IReadOnlyList<(string Id, string Why)> unsent) =>
        $"{unsent.Count} can't be sent as they are, and stayed where they were: {string.Join(' ', unsent.Take(MostNamed).Select(message => $"'{message.Id}': {message.Why}"))}{(unsent.Count > MostNamed ? $" And {unsent.Count - MostNamed} more." : "")}";

    private static void Tell(Job job, IBrokerDesk desk, ClearedView cleared) =>
        job.Screen.Outcome(cleared, cleared.Text() + (cleared.Seen == 0 ? MessageText.Unseen(desk) : ""));

    private static string Question(DeadLetters letters, MessageFilter filter, string? target, int limit)
    {
        var which = $"{(limit < int.MaxValue ? $"up to {limit}" : filter.IsAll ? "all" : "all such")} {letters.Text}";
        return target is null ? $"Remove {which} for good?" : $"Send {which} to '{target}'?";
    }
}
