using System.CommandLine;
using Holdfast.Broker;

namespace Holdfast.Worker.Commands;

/// <summary>The option by which a person says where dead letters lie: others put them into a queue of any name, or into one for many queues.</summary>
internal sealed class FromOption
{
    private readonly Option<string?> _from = CommonOptions.Queue("--from", "Where they lie, where that is not the queue's own place for dead letters.");

    public void AddTo(Command command) => command.Add(_from);

    public DeadLetters Read(Job job, ParseResult parsed, IBrokerDesk desk) =>
        parsed.GetValue(_from) is { } place ? new(place, place) : new(job.Queue, desk.DeadLettersOf(job.Queue));
}
