using System.CommandLine;

namespace Holdfast.Worker.Commands;

/// <summary>What can be done with dead letters.</summary>
internal static class DeadCommand
{
    public static Command Create(Workbench bench) => new("dead", "Look at a queue's dead letters, send them again, or remove them.")
    {
        ListCommand.Create(bench),
        ShowCommand.Create(bench),
        ClearCommand.Replay(bench),
        ClearCommand.Purge(bench),
    };
}
